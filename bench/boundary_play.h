#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/harness/flags.h"
#include "bench/harness/measure.h"
#include "sotto/accounting/guarantee.h"
#include "sotto/base/feature_view.h"
#include "sotto/mechanisms/boundaries/boundary_phases.h"
#include "sotto/random/rng.h"

namespace sotto::bench {

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

// One query to a predictor over boundary sets, with its true label.
struct BoundaryQuery {
  explicit BoundaryQuery(std::uint32_t features) {
    for (std::uint32_t j = 0; j < features; ++j) x.push_back({j, 0});
  }

  FeatureVector x;
  bool honest = true;
  bool inside = false;
};

struct PhaseStats {
  double rounds = 0;
  double honest = 0;
  double missed = 0;   // honest queries inside, answered outside
  double wrongly = 0;  // honest queries outside, answered inside
  double seconds = 0;
  double first = 0;  // seconds of the first round, in which a phase begins
  std::uint64_t restarts = 0;

  double error() const { return (missed + wrongly) / honest; }
};

// Plays the first `phases` phases. `queries` has Next(), the next query, and
// Answered(query, answer), after each.
template <typename Predictor, typename Queries>
std::vector<PhaseStats> PlayPhases(Predictor& predictor, Queries& queries,
                                   std::size_t phases, Rng& rng) {
  const auto& plan = predictor.phases().phases;
  std::vector<PhaseStats> played(std::min(phases, plan.size()));
  for (std::size_t p = 0; p < played.size(); ++p) {
    PhaseStats& stats = played[p];
    const std::uint64_t before = predictor.restarts();
    const std::uint64_t rounds = plan[p].length;
    const Stopwatch watch;
    for (std::uint64_t i = 0; i < rounds; ++i) {
      const BoundaryQuery& query = queries.Next();
      const bool inside = predictor.Answer(query.x, rng).inside;
      if (i == 0) stats.first = watch.processor();
      queries.Answered(query, inside);
      if (!query.honest) continue;
      stats.honest += 1;
      stats.missed += query.inside && !inside ? 1 : 0;
      stats.wrongly += !query.inside && inside ? 1 : 0;
    }
    stats.seconds = watch.processor();
    stats.rounds = static_cast<double>(rounds);
    stats.restarts = predictor.restarts() - before;
  }
  return played;
}

// Flags of both benchmarks over boundary sets; `more` adds to them.
inline Flags BoundaryFlags(int argc, char** argv, Flags::Defaults more) {
  more.insert({{"epsilon", "3"},
               {"delta", "1e-5"},
               {"relation", "replace"},
               {"error", "0.06"},
               {"honest", "0.5"},
               {"phases", "10"},
               {"seeds", "1"},
               {"seed", "1"}});
  return {argc, argv, std::move(more)};
}

template <typename Params>
Params BoundaryParams(const Flags& flags) {
  Params params;
  params.epsilon = flags.Number("epsilon");
  params.delta = flags.Number("delta");
  params.relation = Must(ParseRelation(flags.Text("relation")));
  params.error = flags.Number("error");
  params.honest_fraction = flags.Number("honest");
  return params;
}

// Prints a line for each seed.
template <typename Play>
void PrintSeeds(const Flags& flags, const Play& play) {
  const std::uint64_t first = flags.Count("seed");
  for (std::uint64_t s = 0; s < flags.Count("seeds"); ++s) {
    PrintLine(play(first + s));
  }
}

}  // namespace sotto::bench
