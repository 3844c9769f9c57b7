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

#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "sotto/models/rectangles/rectangles_predictor.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Clock = std::chrono::steady_clock;

// Data must cost less than the predictor: xorshift*, seeded.
class Fast {
 public:
  explicit Fast(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}
  double Unit() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return std::ldexp(static_cast<double>((state_ * 0x2545f4914f6cdd1d) >> 11),
                      -53);
  }

 private:
  std::uint64_t state_;
};

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
void Learn(const Query& query, bool told, Prober& prober) {
  constexpr double kStep = 1e-5;
  for (std::size_t j = 0; j < query.x.size(); ++j) {
    const double move = told ? -kStep / 10 : kStep;
    const double value = query.x[j].value;
    if (value == prober.low[j]) prober.low[j] += move;
    if (value == prober.high[j]) prober.high[j] -= move;
  }
}

nlohmann::json Play(const RectanglesParams& params, const Setting& setting,
                    std::size_t phases, std::uint64_t seed) {
  testing::SeededRng rng(seed);
  Fast fast(seed);
  auto training = RectanglesTraining::Create(params);
  if (!training) {
    std::cerr << training.error().message << "\n";
    std::exit(1);
  }
  Query query;
  for (std::uint32_t j = 0; j < setting.dimensions; ++j) {
    query.x.push_back({j, 0});
  }
  for (std::uint64_t i = 0; i < setting.rows; ++i) {
    Honest(setting, fast, query);
    training->Add(query.x, query.inside);
  }
  auto predictor = std::move(*training).Finish(rng);
  const BoundaryPhases& plan = predictor->phases();
  Prober prober{std::vector<double>(setting.dimensions, kLow),
                std::vector<double>(setting.dimensions, kHigh)};
  nlohmann::json out = {{"seed", seed},
                        {"data", setting.data},
                        {"hostile", setting.hostile},
                        {"rows", setting.rows},
                        {"dimensions", setting.dimensions}};
  std::vector<double> errors, outside, expected;
  std::vector<std::uint64_t> restarts;
  double slowest = 0;
  double seconds = 0;
  std::uint64_t rounds = 0;
  for (std::size_t p = 0; p < std::min(phases, plan.phases.size()); ++p) {
    std::uint64_t honest = 0, missed = 0, wrongly = 0;
    const std::uint64_t before = predictor->restarts();
    const auto begin = Clock::now();
    for (std::uint64_t i = 0; i < plan.phases[p].length; ++i) {
      if (fast.Unit() < setting.honest) {
        Honest(setting, fast, query);
      } else {
        Hostile(setting, prober, fast, query);
      }
      // A phase begins in its first round: the one that could stall.
      const auto asked = i == 0 ? Clock::now() : Clock::time_point();
      const bool told = predictor->Answer(query.x, rng).inside;
      if (i == 0) {
        const std::chrono::duration<double> took = Clock::now() - asked;
        slowest = std::max(slowest, took.count());
      }
      if (!query.honest) {
        Learn(query, told, prober);
        continue;
      }
      ++honest;
      if (query.inside && !told) ++missed;
      if (!query.inside && told) ++wrongly;
    }
    seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    rounds += plan.phases[p].length;
    const auto all = static_cast<double>(honest);
    errors.push_back(static_cast<double>(missed + wrongly) / all);
    outside.push_back(static_cast<double>(wrongly) / all);
    expected.push_back(
        plan.ExpectedError(p, static_cast<double>(setting.rows)));
    restarts.push_back(predictor->restarts() - before);
  }
  out["error"] = errors;
  out["outside_told_inside"] = outside;
  out["planned"] = expected;
  out["restarts"] = restarts;
  out["rounds"] = rounds;
  out["queries_per_second"] = static_cast<double>(rounds) / seconds;
  out["phase_change_ms"] = 1e3 * slowest;
  out["set"] = plan.phases[0].initial.size;
  out["last_over_second"] = errors.size() > 1 ? errors.back() / errors[1] : 0;
  return out;
}

std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

int Main(int argc, char** argv) {
  std::map<std::string, std::string> said = {
      {"dimensions", "1"}, {"rows", "250000"},      {"epsilon", "3"},
      {"delta", "1e-5"},   {"relation", "replace"}, {"error", "0.06"},
      {"honest", "0.5"},   {"phases", "10"},        {"seeds", "1"},
      {"seed", "1"},       {"data", "uniform"},     {"hostile", "mixed"}};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto equals = word.find('=');
    if (word.rfind("--", 0) != 0 || equals == std::string::npos) return 2;
    said[word.substr(2, equals - 2)] = word.substr(equals + 1);
  }
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
