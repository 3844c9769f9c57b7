#include "sotto/testing/leakage_attack.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <utility>

#include "sotto/testing/seeded_rng.h"

namespace sotto::testing {
namespace {

// The leaking twin: no vote and no noise. It learns by heart, and says 1 from
// the least point on that it was ever asked for in secret.
class LearnsByHeart final : public LeakTarget {
 public:
  bool Ask(double x) override { return x >= least_; }
  bool AskHidden(double x) override {
    least_ = std::fmin(least_, x);
    return Ask(x);
  }

 private:
  double least_ = 1;
};

// [PERP, Fact 3.5], as a predictor: each round it decides, with probability
// delta(i), to speak the digits of the point that it holds from then on. A
// round costs (0, delta(i)) and nothing else ever leaves it.
class SpeaksRarely final : public LeakTarget {
 public:
  SpeaksRarely(std::function<double(double)> delta, Rng& rng)
      : delta_(std::move(delta)), rng_(rng) {}

  bool Ask(double) override {
    if (spoken_ < 0) return false;
    spoken_ *= 2;
    const bool digit = spoken_ >= 1;
    if (digit) spoken_ -= 1;
    return digit;
  }
  bool AskHidden(double x) override {
    const double coin = static_cast<double>(rng_.Next() >> 11) * 0x1p-53;
    if (spoken_ < 0 && coin < delta_(++round_)) spoken_ = x;
    return false;
  }

 private:
  std::function<double(double)> delta_;
  Rng& rng_;
  double round_ = 0;
  double spoken_ = -1;  // what is left of the point
};

TEST(LeakageAttackTest, CatchesWhatLearnsByHeart) {
  SeededRng rng(1);
  const LeakageAttack attack{.strategy = LeakStrategy::kBoundary};
  LeakageVerdict verdict;
  for (; verdict.runs < 60; ++verdict.runs) {
    LearnsByHeart target;
    verdict.won += attack.Wins(target, rng) ? 1 : 0;
  }
  EXPECT_EQ(verdict.won, verdict.runs);
  EXPECT_TRUE(verdict.leaking());
}

LeakageVerdict AgainstSpeaker(const std::function<double(double)>& delta,
                              std::uint64_t challenges) {
  SeededRng rng(2);
  const LeakageAttack attack{.strategy = LeakStrategy::kSpoken,
                             .challenges = challenges};
  LeakageVerdict verdict;
  for (; verdict.runs < 1000; ++verdict.runs) {
    SpeaksRarely target(delta, rng);
    verdict.won += attack.Wins(target, rng) ? 1 : 0;
  }
  return verdict;
}

TEST(LeakageAttackTest, AFixedDeltaLeaksFromOneOverDeltaRoundsOn) {
  const auto fixed = [](double) { return 0.002; };
  EXPECT_TRUE(AgainstSpeaker(fixed, 1000).leaking());
  EXPECT_FALSE(AgainstSpeaker(fixed, 50).leaking());
}

TEST(LeakageAttackTest, ADeltaThatSumsUpToLittleDoesNotHoweverManyRounds) {
  // Together below 1/8.
  const auto falls = [](double i) { return 0.07 / (i * i); };
  const LeakageVerdict verdict = AgainstSpeaker(falls, 3000);
  EXPECT_GT(verdict.won, 0U);
  EXPECT_LT(verdict.won, 200U);
  EXPECT_FALSE(verdict.leaking());
}

}  // namespace
}  // namespace sotto::testing
