// Published mistakes of the sparse vector technique (Lyu, Su, Li 2017), and a
// few more. All claim epsilon = 1.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/audit/games/rules.h"
#include "sotto/audit/mutants/mutant.h"
#include "sotto/audit/mutants/noise_of.h"
#include "sotto/audit/variants.h"
#include "sotto/mechanisms/thresholds/between_thresholds.h"

namespace sotto {
namespace {

constexpr std::int64_t kUnlimited = 1'000'000;
constexpr ExtremalPair kFivePushes{.first = 0, .repeats = 5, .then = 1};
constexpr ExtremalPair kManyPushes{.first = -1, .repeats = 16, .then = 0};
constexpr ExtremalPair kFourPushes{.first = -1, .repeats = 4, .then = 0};

// Epsilon 1: a tenth for the threshold, the rest for one report.
struct Recipe {
  double threshold_rate = 0.1;
  double query_rate = 0.45;
  std::int64_t reports = 1;
  bool threshold_noise = true;
  bool query_noise = true;
  bool release_value = false;
  bool redraw = false;
  bool reuse = false;       // one noise for all queries
  std::int64_t factor = 1;  // count of a record
  // The worst pair for this mistake. If empty, several are tried.
  std::optional<ExtremalPair> pair = {};
};

class SparseVectorByHand {
 public:
  explicit SparseVectorByHand(const Recipe& recipe)
      : recipe_(recipe),
        threshold_(NoiseOfRate(recipe.threshold_rate)),
        query_(NoiseOfRate(recipe.query_rate)),
        left_(recipe.reports) {}

  Result<std::int64_t> Step(std::int64_t value, Rng& rng) {
    ++steps_;
    if (!drawn_ && recipe_.threshold_noise) limit_ = threshold_.Sample(rng);
    if (!(drawn_ && recipe_.reuse)) noise_ = query_.Sample(rng);
    drawn_ = true;
    const std::int64_t noisy =
        recipe_.factor * value + (recipe_.query_noise ? noise_ : 0);
    if (noisy < limit_) return 0;
    --left_;
    if (recipe_.redraw) drawn_ = false;
    // Includes the round, which is public.
    return recipe_.release_value ? 64 * steps_ + 32 + noisy : 1;
  }
  bool halted() const { return left_ == 0; }

 private:
  Recipe recipe_;
  FixedWorkLaplace threshold_;
  FixedWorkLaplace query_;
  std::int64_t left_;
  std::int64_t steps_ = 0;
  std::int64_t limit_ = 0;
  std::int64_t noise_ = 0;
  bool drawn_ = false;
};

AuditSubject MakeSubject(const Recipe& recipe, std::uint64_t rounds,
                         double epsilon = 1) {
  AuditSubject subject{"sparse vector by hand", {}};
  const SparseVectorByHand mechanism(recipe);
  const game::AdaptiveQuery rules{.rounds = rounds};
  const auto fresh = [mechanism] { return mechanism; };
  const ApproximateDp claim{epsilon, 0};
  // A threshold that is redrawn is parked at; a kept one is pushed one way and
  // tested the other.
  if (recipe.redraw) {
    subject.cases.push_back(
        {"threshold-parking", "by hand", claim,
         MakeGamePair<std::int64_t>(rules, fresh,
                                    std::vector<Parking>{{0, 1}, {2, -1}})});
    return subject;
  }
  std::vector<ExtremalPair> pairs;
  if (recipe.pair) pairs.push_back(*recipe.pair);
  for (const std::int64_t first : {-1, 0}) {
    if (recipe.pair) break;
    for (const std::uint64_t repeats : {1u, 4u, 16u}) {
      pairs.push_back({first, repeats, first});
      pairs.push_back({first, repeats, first + 1});
    }
  }
  subject.cases.push_back({"extremal-pair", "by hand", claim,
                           MakeGamePair<std::int64_t>(rules, fresh, pairs)});
  return subject;
}

AuditSubject SoundOne() { return MakeSubject({}, 20); }

// Epsilon 3, again a tenth for the threshold.
AuditSubject MakeLouder(Recipe recipe, std::uint64_t rounds) {
  recipe.threshold_rate = 0.3;
  recipe.query_rate = 1.35;
  return MakeSubject(recipe, rounds, 3);
}

AuditSubject SoundLouder() { return MakeLouder({}, 20); }

// A point that is counted in two boundary sets, or recycled twice, moves a
// count by two.
struct CountedTwice {
  BetweenThresholds test;
  std::int64_t factor = 2;

  Result<std::int64_t> Step(std::int64_t value, Rng& rng) {
    const auto answer = test.Test(factor * value, rng);
    if (answer.zone == BetweenThresholds::Zone::kLow) return -1;
    if (answer.zone == BetweenThresholds::Zone::kHigh) return 1;
    return 10 + answer.noisy;
  }
  bool halted() const { return test.halted(); }
};

// Claims the guarantee that is proved at this rate.
AuditSubject BandSubject(std::int64_t factor) {
  const auto test = *BetweenThresholds::Create(
      {.epsilon = 2, .low = 0, .high = 2, .reports = 1, .rate = 0.7});
  AuditSubject subject{"band", {}};
  subject.cases.push_back(
      {"threshold-parking",
       "band",
       {test.guarantee().epsilon(), test.guarantee().delta()},
       MakeGamePair<std::int64_t>(
           game::AdaptiveQuery{.rounds = 20},
           [test, factor] {
             return CountedTwice{test, factor};
           },
           ParkingAround(0, 2))});
  return subject;
}

}  // namespace

std::vector<Mutant> SparseVectorMutants() {
  return {
      {"svt-releases-the-value", "tells the noisy value that was compared",
       400'000,
       [] {
         return MakeLouder({.release_value = true, .pair = kFivePushes}, 12);
       },
       SoundLouder},
      {"svt-noise-for-one-report", "noise of one report, twelve of them",
       400'000,
       [] { return MakeLouder({.reports = 12, .pair = kManyPushes}, 32); },
       SoundLouder},
      {"svt-no-query-noise", "noise on the threshold only", 20'000,
       [] {
         return MakeSubject({.reports = kUnlimited, .query_noise = false}, 20);
       },
       SoundOne},
      {"svt-no-cutoff", "reports are not counted", 200'000,
       [] { return MakeLouder({.reports = kUnlimited}, 32); }, SoundLouder},
      {"svt-redrawn-threshold", "a new threshold after every report, not paid",
       200'000,
       [] {
         return MakeSubject({.threshold_rate = 0.5,
                             .query_rate = 0.25,
                             .reports = 40,
                             .redraw = true},
                            100);
       },
       [] {
         return MakeSubject({.threshold_rate = 0.5, .query_rate = 0.25}, 100);
       }},
      {"svt-no-threshold-noise", "noise on the queries only", 100'000,
       [] { return MakeSubject({.threshold_noise = false}, 20); }, SoundOne},
      {"svt-one-noise-for-all", "the queries share one noise", 100'000,
       [] { return MakeSubject({.reports = 3, .reuse = true}, 20); }, SoundOne},
      {"svt-cutoff-off-by-one", "two reports where one was paid", 200'000,
       [] { return MakeLouder({.reports = 2, .pair = kFourPushes}, 20); },
       SoundLouder},
      {"svt-sensitivity-halved", "a record counts twice", 200'000,
       [] { return MakeSubject({.factor = 2}, 20); }, SoundOne},
      {"band-point-recycled-twice", "a point is in two boundary sets", 200'000,
       [] { return BandSubject(2); }, [] { return BandSubject(1); }},
  };
}

}  // namespace sotto
