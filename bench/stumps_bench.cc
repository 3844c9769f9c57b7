// How often does the everlasting predictor of stumps err on honest queries,
// phase by phase, and how long does it take to choose one of many axes?
//
//   stumps_bench [--features=100] [--rows=1000000] [--epsilon=3]
//                [--delta=1e-5] [--relation=replace] [--error=0.06]
//                [--honest=0.5] [--phases=10] [--seeds=1] [--seed=1]
//
// Every feature is uniform; positives are where one of them is at least 0.6.
// Hostile queries lie just below that, or on the point where answers change.
// JSON on standard output, one line a run.

#include <cmath>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/fast_data.h"
#include "sotto/models/stumps/decision_stumps_predictor.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

constexpr double kTarget = 0.6;

// Of processor time.
double Seconds(std::clock_t since) {
  return static_cast<double>(std::clock() - since) / CLOCKS_PER_SEC;
}

nlohmann::json Play(const StumpsParams& params, std::uint64_t rows,
                    double honest, std::size_t phases, std::uint64_t seed) {
  testing::SeededRng rng(seed);
  Fast fast(seed);
  auto training = StumpsTraining::Create(params);
  if (!training) {
    std::cerr << training.error().message << "\n";
    std::exit(1);
  }
  FeatureVector x;
  for (std::uint32_t j = 0; j < params.features; ++j) x.push_back({j, 0});
  const auto axis = static_cast<std::uint32_t>(seed % params.features);
  for (std::uint64_t i = 0; i < rows; ++i) {
    for (Feature& f : x) f.value = fast.Unit();
    training->Add(x, x[axis].value >= kTarget);
  }
  const std::clock_t began = std::clock();
  auto predictor = std::move(*training).Finish(rng);
  nlohmann::json out = {
      {"seed", seed},
      {"features", params.features},
      {"rows", rows},
      {"choosing_seconds", Seconds(began)},
      {"axis_found", predictor->axis() == StumpAxis{axis, false}}};
  // Of a query only the axis matters: the others stay as they are.
  const std::uint32_t asked = predictor->axis().feature;
  double probe = kTarget;
  std::vector<double> errors;
  const BoundaryPhases& plan = predictor->phases();
  for (std::size_t p = 0; p < std::min(phases, plan.phases.size()); ++p) {
    std::uint64_t count = 0, wrong = 0;
    for (std::uint64_t i = 0; i < plan.phases[p].length; ++i) {
      const bool is_honest = fast.Unit() < honest;
      const bool probes = !is_honest && fast.Unit() < 0.5;
      x[asked].value = is_honest ? fast.Unit()
                       : probes  ? probe
                                 : kTarget - 1e-6;
      const bool prediction = predictor->Answer(x, rng).inside;
      if (probes) probe += prediction ? -1e-6 : 1e-5;
      if (!is_honest) continue;
      ++count;
      wrong += prediction != (x[asked].value >= kTarget) ? 1 : 0;
    }
    errors.push_back(static_cast<double>(wrong) / static_cast<double>(count));
  }
  out["error"] = errors;
  out["restarts"] = predictor->restarts();
  return out;
}

int Main(int argc, char** argv) {
  Flags said = {{"features", "100"}, {"rows", "1000000"},     {"epsilon", "3"},
                {"delta", "1e-5"},   {"relation", "replace"}, {"error", "0.06"},
                {"honest", "0.5"},   {"phases", "10"},        {"seeds", "1"},
                {"seed", "1"}};
  if (!ReadFlags(argc, argv, said)) return 2;
  const auto number = [&](const char* name) { return std::stod(said[name]); };
  const auto relation = ParseRelation(said["relation"]);
  if (!relation) return 2;
  const StumpsParams params{
      .features = static_cast<std::uint32_t>(number("features")),
      .epsilon = number("epsilon"),
      .delta = number("delta"),
      .relation = *relation,
      .error = number("error"),
      .honest_fraction = number("honest")};
  const auto first = static_cast<std::uint64_t>(number("seed"));
  const auto seeds = static_cast<std::uint64_t>(number("seeds"));
  for (std::uint64_t s = 0; s < seeds; ++s) {
    std::cout << Play(params, static_cast<std::uint64_t>(number("rows")),
                      number("honest"),
                      static_cast<std::size_t>(number("phases")), first + s)
              << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) { return sotto::Main(argc, argv); }
