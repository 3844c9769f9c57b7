// How often does the everlasting predictor of boxes err on honest queries,
// phase by phase, while half of the queries are hostile; how fast is it, and
// how long does the longest round take?
//
//   rectangles_bench [--dimensions=1] [--rows=250000] [--epsilon=3]
//                    [--delta=1e-5] [--relation=replace] [--error=0.06]
//                    [--honest=0.5] [--phases=10] [--seeds=1] [--seed=1]
//                    [--data=uniform] (or clustered, ties; several)
//                    [--hostile=mixed|prober|flooder|duplicator]
//
// JSON on standard output, one line a run.

#include <cmath>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "bench/fast_data.h"
#include "sotto/models/rectangles/rectangles_predictor.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

// One coordinate of a honest point. Clustered: most points in narrow clusters,
// one of them across either border. Ties: twenty values with most of the mass
// on five of them.
double Coordinate(const std::string& data, Fast& fast) {
  const double u = fast.Unit();
  if (data == "uniform") return u;
  if (data == "clustered") {
    constexpr double kCentres[] = {0.2, 0.45, 0.5, 0.8, 0.95};
    if (u < 0.2) return fast.Unit();
    const auto which = static_cast<std::size_t>((u - 0.2) / 0.8 * 5);
    return kCentres[which] + 0.01 * (fast.Unit() + fast.Unit() - 1);
  }
  const double v = u * u * u;
  return std::floor(20 * v) / 20 + 0.025;
}

constexpr double kLow = 0.2;
constexpr double kHigh = 0.8;

struct Query {
  FeatureVector x;
  bool honest = true;
  bool inside = false;
};

// Where "1" begins on every side, as far as answers tell: what a prober learns.
struct Prober {
  std::vector<double> low;
  std::vector<double> high;
};

struct Setting {
  std::uint32_t dimensions = 1;
  std::uint64_t rows = 250'000;
  double honest = 0.5;
  std::string data;
  std::string hostile;
};

Query MakeQuery(const Setting& setting) {
  Query query;
  for (std::uint32_t j = 0; j < setting.dimensions; ++j) {
    query.x.push_back({j, 0});
  }
  return query;
}

// Of processor time: a machine that is busy with other things stalls anybody.
double Seconds(std::clock_t since) {
  return static_cast<double>(std::clock() - since) / CLOCKS_PER_SEC;
}

bool Inside(const FeatureVector& x) {
  for (const Feature& f : x) {
    if (f.value < kLow || f.value > kHigh) return false;
  }
  return true;
}

void Honest(const Setting& setting, Fast& fast, Query& query) {
  for (Feature& f : query.x) f.value = Coordinate(setting.data, fast);
  query.honest = true;
  query.inside = Inside(query.x);
}

// Prober: just where answers change. Flooder: just outside, or far. Duplicator:
// one point inside, again and again.
void Hostile(const Setting& setting, const Prober& prober, Fast& fast,
             Query& query) {
  query.honest = false;
  std::string kind = setting.hostile;
  if (kind == "mixed") {
    const double u = fast.Unit();
    kind = u < 0.34 ? "prober" : u < 0.67 ? "flooder" : "duplicator";
  }
  for (Feature& f : query.x) f.value = 0.5;
  const auto j = static_cast<std::size_t>(fast.Unit() * setting.dimensions);
  const bool upper = fast.Unit() < 0.5;
  const double w = fast.Unit();
  double& value = query.x[j].value;
  if (kind == "prober") value = upper ? prober.high[j] : prober.low[j];
  if (kind == "flooder") {
    const double away = w < 0.5 ? 1e-6 : w;
    value = upper ? kHigh + away : kLow - away;
  }
  if (kind == "duplicator") value = upper ? 0.5 : 0.25;
}

// A step inwards after "0", a tenth of one outwards after "1": where one answer
// in eleven is "0", deep in the band.
void Learn(const Query& query, bool prediction, Prober& prober) {
  constexpr double kStep = 1e-5;
  for (std::size_t j = 0; j < query.x.size(); ++j) {
    const double move = prediction ? -kStep / 10 : kStep;
    const double value = query.x[j].value;
    if (value == prober.low[j]) prober.low[j] += move;
    if (value == prober.high[j]) prober.high[j] -= move;
  }
}

RectanglesPredictor Trained(const RectanglesParams& params,
                            const Setting& setting, Fast& fast, Rng& rng) {
  auto training = RectanglesTraining::Create(params);
  if (!training) {
    std::cerr << training.error().message << "\n";
    std::exit(1);
  }
  Query query = MakeQuery(setting);
  for (std::uint64_t i = 0; i < setting.rows; ++i) {
    Honest(setting, fast, query);
    training->Add(query.x, query.inside);
  }
  return *std::move(*training).Finish(rng);
}

struct RunStats {
  double honest = 0;
  double missed = 0;
  double wrongly = 0;
  double seconds = 0;
  double first = 0;  // seconds of its first round, in which a phase begins
};

RunStats PlayPhase(const Setting& setting, std::uint64_t rounds,
                   RectanglesPredictor& predictor, Prober& prober, Fast& fast,
                   Rng& rng) {
  RunStats stats;
  Query query = MakeQuery(setting);
  const std::clock_t begin = std::clock();
  for (std::uint64_t i = 0; i < rounds; ++i) {
    if (fast.Unit() < setting.honest) {
      Honest(setting, fast, query);
    } else {
      Hostile(setting, prober, fast, query);
    }
    const bool prediction = predictor.Answer(query.x, rng).inside;
    if (i == 0) stats.first = Seconds(begin);
    if (!query.honest) {
      Learn(query, prediction, prober);
      continue;
    }
    stats.honest += 1;
    stats.missed += query.inside && !prediction ? 1 : 0;
    stats.wrongly += !query.inside && prediction ? 1 : 0;
  }
  stats.seconds = Seconds(begin);
  return stats;
}

nlohmann::json Play(const RectanglesParams& params, const Setting& setting,
                    std::size_t phases, std::uint64_t seed) {
  testing::SeededRng rng(seed);
  Fast fast(seed);
  RectanglesPredictor predictor = Trained(params, setting, fast, rng);
  const BoundaryPhases& plan = predictor.phases();
  Prober prober{std::vector<double>(setting.dimensions, kLow),
                std::vector<double>(setting.dimensions, kHigh)};
  std::vector<double> errors, outside, expected;
  std::vector<std::uint64_t> restarts;
  double slowest = 0, seconds = 0, rounds = 0;
  for (std::size_t p = 0; p < std::min(phases, plan.phases.size()); ++p) {
    const std::uint64_t before = predictor.restarts();
    const RunStats stats =
        PlayPhase(setting, plan.phases[p].length, predictor, prober, fast, rng);
    errors.push_back((stats.missed + stats.wrongly) / stats.honest);
    outside.push_back(stats.wrongly / stats.honest);
    expected.push_back(
        plan.ExpectedError(p, static_cast<double>(setting.rows)));
    restarts.push_back(predictor.restarts() - before);
    slowest = std::max(slowest, stats.first);
    seconds += stats.seconds;
    rounds += static_cast<double>(plan.phases[p].length);
  }
  return {
      {"seed", seed},
      {"data", setting.data},
      {"hostile", setting.hostile},
      {"rows", setting.rows},
      {"dimensions", setting.dimensions},
      {"error", errors},
      {"outside_told_inside", outside},
      {"planned", expected},
      {"restarts", restarts},
      {"rounds", rounds},
      {"queries_per_second", rounds / seconds},
      {"phase_change_ms", 1e3 * slowest},
      {"set", plan.phases[0].initial.size},
      {"last_over_second", errors.size() > 1 ? errors.back() / errors[1] : 0}};
}

std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

int Main(int argc, char** argv) {
  Flags said = {
      {"dimensions", "1"}, {"rows", "250000"},      {"epsilon", "3"},
      {"delta", "1e-5"},   {"relation", "replace"}, {"error", "0.06"},
      {"honest", "0.5"},   {"phases", "10"},        {"seeds", "1"},
      {"seed", "1"},       {"data", "uniform"},     {"hostile", "mixed"}};
  if (!ReadFlags(argc, argv, said)) return 2;
  const auto number = [&](const char* name) { return std::stod(said[name]); };
  const auto relation = ParseRelation(said["relation"]);
  if (!relation) return 2;
  const RectanglesParams params{
      .dimensions = static_cast<std::uint32_t>(number("dimensions")),
      .epsilon = number("epsilon"),
      .delta = number("delta"),
      .relation = *relation,
      .error = number("error"),
      .honest_fraction = number("honest")};
  for (const std::string& data : Words(said["data"])) {
    const Setting setting{.dimensions = params.dimensions,
                          .rows = static_cast<std::uint64_t>(number("rows")),
                          .honest = number("honest"),
                          .data = data,
                          .hostile = said["hostile"]};
    const auto first = static_cast<std::uint64_t>(number("seed"));
    const auto seeds = static_cast<std::uint64_t>(number("seeds"));
    for (std::uint64_t s = 0; s < seeds; ++s) {
      std::cout << Play(params, setting,
                        static_cast<std::size_t>(number("phases")), first + s)
                << std::endl;
    }
  }
  return 0;
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) { return sotto::Main(argc, argv); }
