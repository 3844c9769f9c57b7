#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/flags.h"
#include "bench/harness/measure.h"
#include "sotto/accounting/guarantee.h"
#include "sotto/base/feature_view.h"
#include "sotto/random/rng.h"

namespace sotto::bench {

// Benchmarks of predictors that answer indefinitely, phase by phase, after a
// training set: one set of flags, one player, one JSON shape.

// Seeded xorshift* numbers, for streams that must cost less than what is
// measured on them.
class Fast {
 public:
  explicit Fast(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}
  // Uniform in [0, 1).
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

// One query with its true label.
struct Query {
  Query() = default;
  explicit Query(std::uint32_t features, double value = 0) {
    for (std::uint32_t j = 0; j < features; ++j) x.push_back({j, value});
  }

  FeatureVector x = {};
  bool honest = true;
  bool label = false;
};

struct PhaseStats {
  double rounds = 0;
  double honest = 0;
  double missed = 0;   // honest positives that were answered 0
  double wrongly = 0;  // honest negatives that were answered 1
  std::uint64_t paid = 0;
  double seconds = 0;
  double longest = 0;  // round, in seconds
};

// Boundary predictors, whose longest round is the first one of a phase: only
// that one is timed, as the others take less than to look at a clock.
template <typename Predictor>
concept Boundary = requires(Predictor& predictor, FeatureView x, Rng& rng) {
  predictor.Answer(x, rng);
};

// The answer, and if it was paid for.
template <typename Predictor>
std::pair<bool, bool> Ask(Predictor& predictor, FeatureView x, Rng& rng) {
  if constexpr (Boundary<Predictor>) {
    const auto answer = predictor.Answer(x, rng);
    return {answer.inside, answer.undecided};
  } else {
    const auto answer = Must(predictor.Open(x, rng));
    return {answer.prediction, answer.paid};
  }
}

// Plays the first `phases` phases. `queries` has Next(), the next query, and
// Answered(query, answer), after each.
template <typename Predictor, typename Queries>
std::vector<PhaseStats> PlayPhases(Predictor& predictor, Queries& queries,
                                   std::size_t phases, Rng& rng) {
  using Clock = std::chrono::steady_clock;
  std::vector<PhaseStats> played;
  while (played.size() < phases && !predictor.halted()) {
    PhaseStats& stats = played.emplace_back();
    const std::uint64_t phase = predictor.phase();
    const Stopwatch watch;
    while (!predictor.halted() && predictor.phase() == phase) {
      const Query& query = queries.Next();
      const bool timed = !Boundary<Predictor> || stats.rounds == 0;
      const auto begin = timed ? Clock::now() : Clock::time_point();
      const auto [answer, paid] = Ask(predictor, query.x, rng);
      if (timed) {
        const std::chrono::duration<double> took = Clock::now() - begin;
        stats.longest = std::max(stats.longest, took.count());
      }
      stats.rounds += 1;
      stats.paid += paid ? 1 : 0;
      queries.Answered(query, answer);
      if (!query.honest) continue;
      stats.honest += 1;
      stats.missed += query.label && !answer ? 1 : 0;
      stats.wrongly += !query.label && answer ? 1 : 0;
    }
    stats.seconds = watch.processor();
  }
  return played;
}

// Flags of all of them; `more` adds to them, or has other defaults.
inline Flags PhaseFlags(int argc, char** argv, Flags::Defaults more) {
  more.insert({{"epsilon", "3"},
               {"delta", "1e-5"},
               {"honest", "0.5"},
               {"hostile", "mixed"},
               {"phases", "10"},
               {"rows", "1000000"},
               {"seeds", "1"},
               {"seed", "1"}});
  return {argc, argv, std::move(more)};
}

// Those of boundary models, and their parameters.
inline Flags BoundaryFlags(int argc, char** argv, Flags::Defaults more) {
  more.insert({{"relation", "replace"},
               {"error", "0.06"},
               {"calibration", "practical"},
               {"constants", "least"},
               {"constant", "1"}});
  return PhaseFlags(argc, argv, std::move(more));
}

template <typename Params>
Params BoundaryParams(const Flags& flags) {
  Params params;
  params.epsilon = flags.Number("epsilon");
  params.delta = flags.Number("delta");
  params.relation = Must(ParseRelation(flags.Text("relation")));
  params.error = flags.Number("error");
  params.honest_fraction = flags.Number("honest");
  if (flags.Text("calibration") == "paper") {
    params.paper.emplace();
    params.paper->printed = flags.Text("constants") == "printed";
    params.paper->constant = flags.Number("constant");
  }
  return params;
}

// Calls play(seed) for each seed and prints what it returns, a line each.
template <typename Play>
void PrintSeeds(const Flags& flags, const Play& play) {
  const std::uint64_t first = flags.Count("seed");
  for (std::uint64_t s = 0; s < flags.Count("seeds"); ++s) {
    PrintLine(play(first + s));
  }
}

// The line of a run: figures by phase, then those of the whole run.
inline nlohmann::ordered_json PhasesJson(
    const std::string& model, const std::string& hostile, double honest,
    std::uint64_t seed, const Flags& flags,
    const std::vector<PhaseStats>& played) {
  nlohmann::ordered_json json = {{"model", model},
                                 {"hostile", hostile},
                                 {"honest", honest},
                                 {"seed", seed},
                                 {"rows", flags.Count("rows")},
                                 {"epsilon", flags.Number("epsilon")},
                                 {"delta", flags.Number("delta")}};
  PhaseStats all;
  for (const PhaseStats& phase : played) {
    json["error"].push_back((phase.missed + phase.wrongly) / phase.honest);
    json["negatives_answered_1"].push_back(phase.wrongly / phase.honest);
    json["paid"].push_back(phase.paid);
    json["rounds"].push_back(phase.rounds);
    all.rounds += phase.rounds;
    all.seconds += phase.seconds;
    all.longest = std::max(all.longest, phase.longest);
  }
  json["rounds_per_second"] = all.rounds / all.seconds;
  json["longest_round_ms"] = 1e3 * all.longest;
  return json;
}

}  // namespace sotto::bench
