#include "sotto/accounting/group_privacy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// Slack for the double sums of the tests themselves, not of the library.
constexpr double kSums = 1e-12;

using Distribution = std::vector<double>;

double HockeyStick(const Distribution& p, const Distribution& q,
                   double epsilon) {
  double delta = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    delta += std::max(0.0, p[i] - std::exp(epsilon) * q[i]);
  }
  return delta;
}

double BothWays(const Distribution& p, const Distribution& q, double epsilon) {
  return std::max(HockeyStick(p, q, epsilon), HockeyStick(q, p, epsilon));
}

Distribution RandomDistribution(std::mt19937_64& rng, std::size_t outcomes) {
  std::exponential_distribution<double> mass(1);
  Distribution distribution(outcomes);
  double total = 0;
  for (double& p : distribution) total += p = mass(rng);
  for (double& p : distribution) p /= total;
  return distribution;
}

// The distribution of a mechanism on data 0, 1, ..., size: each step a small
// mixture.
std::vector<Distribution> RandomChain(std::mt19937_64& rng, std::size_t size) {
  std::uniform_real_distribution<double> uniform(0, 0.3);
  std::vector<Distribution> chain = {RandomDistribution(rng, 4)};
  for (std::size_t k = 0; k < size; ++k) {
    const Distribution other = RandomDistribution(rng, 4);
    const double weight = uniform(rng);
    Distribution next = chain.back();
    for (std::size_t i = 0; i < next.size(); ++i) {
      next[i] = (1 - weight) * next[i] + weight * other[i];
    }
    chain.push_back(next);
  }
  return chain;
}

TEST(GroupPrivacyTest, CoversRandomMechanismsExactly) {
  std::mt19937_64 rng(1);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::size_t size = 2 + static_cast<std::size_t>(trial) % 3;
    const std::vector<Distribution> chain = RandomChain(rng, size);
    for (const double epsilon : {0.01, 0.1, 0.3}) {
      ApproximateDp one{epsilon, 0};
      for (std::size_t k = 0; k < size; ++k) {
        one.delta =
            std::max(one.delta, BothWays(chain[k], chain[k + 1], epsilon));
      }
      const ApproximateDp group = ForGroup(one, size);
      EXPECT_LE(BothWays(chain.front(), chain.back(), group.epsilon),
                group.delta + kSums);
    }
  }
}

// Pr[1] on data k is e^eps times that on k+1, plus delta: the formula is
// attained, and size * delta (a broken variant) is refuted.
TEST(GroupPrivacyTest, IsAttainedAndRefutesTheSumOfDeltas) {
  constexpr double kEpsilon = 0.5;
  constexpr double kDelta = 1e-3;
  constexpr std::uint64_t kSize = 4;
  std::vector<Distribution> chain = {{0.0, 1.0}};
  for (std::uint64_t k = 0; k < kSize; ++k) {
    const double p = std::exp(kEpsilon) * chain.back()[0] + kDelta;
    chain.push_back({p, 1 - p});
  }
  for (std::uint64_t k = 0; k < kSize; ++k) {
    ASSERT_LE(BothWays(chain[k + 1], chain[k], kEpsilon), kDelta + kSums);
  }
  const double exact = BothWays(chain.back(), chain.front(), kEpsilon * kSize);
  const ApproximateDp group = ForGroup(ApproximateDp{kEpsilon, kDelta}, kSize);
  EXPECT_NEAR(exact, group.delta, kSums);
  EXPECT_GT(exact, kSize * kDelta * 1.5);
}

// Printed lines: [POP] Thm 3.4: the chain, summed.
TEST(GroupPrivacyTest, IsTighterThanThePapersBound) {
  const double paper = 10 * std::exp(0.3 * 10) * 1e-9;
  EXPECT_LT(ForGroup(ApproximateDp{0.3, 1e-9}, 10).delta, paper / 3);
}

// An interactive mechanism that counts the ones it received and answers each
// round with a biased coin. Challenge rounds hide their answer.
class ChallengeGame {
 public:
  ChallengeGame(std::vector<double> bias, double epsilon)
      : bias_(std::move(bias)), weight_(std::exp(epsilon)) {}

  // The largest delta over all adaptive adversaries: `p` and `q` are the
  // probabilities of the view in the two worlds, `ones` the hidden states.
  double Worst(int rounds, int challenges, std::size_t ones_p,
               std::size_t ones_q, double p, double q) const {
    double worst = std::max(0.0, p - weight_ * q);
    if (rounds == 0) return worst;
    for (const std::size_t input : {0U, 1U}) {
      const std::size_t next_p = ones_p + input;
      const std::size_t next_q = ones_q + input;
      const double bias_p = bias_[next_p];
      const double bias_q = bias_[next_q];
      worst = std::max(worst, Worst(rounds - 1, challenges, next_p, next_q,
                                    p * bias_p, q * bias_q) +
                                  Worst(rounds - 1, challenges, next_p, next_q,
                                        p * (1 - bias_p), q * (1 - bias_q)));
    }
    if (challenges == 0) return worst;
    for (const std::size_t input : {0U, 1U}) {
      worst = std::max(worst, Worst(rounds - 1, challenges - 1, ones_p + input,
                                    ones_q + 1 - input, p, q));
    }
    return worst;
  }

  double Delta(int rounds, int challenges) const {
    return Worst(rounds, challenges, 0, 0, 1, 1);
  }

 private:
  std::vector<double> bias_;
  double weight_;
};

TEST(GroupPrivacyTest, CoversAdaptiveChallengeGamesExactly) {
  constexpr int kRounds = 6;
  const std::vector<double> bias = {.1, .14, .2, .3, .42, .55, .6};
  int informative = 0;
  for (const int size : {2, 3}) {
    for (const double epsilon : {0.1, 0.25, 0.5}) {
      const double one = ChallengeGame(bias, epsilon).Delta(kRounds, 1);
      const auto group = ForGroup(ApproximateDp{epsilon, one},
                                  static_cast<std::uint64_t>(size));
      const double exact =
          ChallengeGame(bias, group.epsilon).Delta(kRounds, size);
      EXPECT_LE(exact, group.delta + kSums) << size << " " << epsilon;
      if (exact > one * 0.5) ++informative;
    }
  }
  EXPECT_GE(informative, 3);
}

TEST(GroupPrivacyTest, LeavesOneRoundUnchangedAndSizeZeroFree) {
  const ApproximateDp one{0.3, 1e-9};
  EXPECT_EQ(ForGroup(one, 1), one);
  EXPECT_EQ(ForGroup(one, 0), (ApproximateDp{0, 0}));
  EXPECT_EQ(ForGroup(PureDp{0.25}, 4), (PureDp{StepUp(1.0)}));
  EXPECT_NEAR(ForGroup(Zcdp{0.01}, 3).rho, 0.09, 1e-15);
  EXPECT_EQ(GroupFactor(0, 7), 7);
}

// (e^(n e) - 1) / (e^e - 1), never below it and hardly above.
TEST(GroupPrivacyTest, TheFactorIsRoundedUp) {
  int nearest_too_small = 0;
  for (int i = 1; i <= 400; ++i) {
    const double epsilon = 0.0007 * i;
    for (const std::uint64_t size : {2, 3, 7}) {
      const long double all = std::expm1(static_cast<long double>(epsilon) *
                                         static_cast<long double>(size));
      const long double one = std::expm1(static_cast<long double>(epsilon));
      const long double exact = all / one;
      const double factor = GroupFactor(epsilon, size);
      EXPECT_GE(factor, exact) << epsilon << " " << size;
      EXPECT_LE(factor, exact * (1 + 1e-14L)) << epsilon << " " << size;
      nearest_too_small += static_cast<double>(exact) < exact ? 1 : 0;
    }
  }
  EXPECT_GT(nearest_too_small, 100);
}

TEST(GroupPrivacyTest, ReturnsInfinityInsteadOfAPlausibleNumber) {
  EXPECT_EQ(ForGroup(ApproximateDp{1, 1e-6}, 10'000).delta, 1);
  EXPECT_EQ(ForGroup(ApproximateDp{1, 0}, 10'000).delta, 0);
  EXPECT_EQ(ForGroup(ApproximateDp{kNan, 1e-6}, 2).delta, 1);
  EXPECT_TRUE(std::isinf(ForGroup(ApproximateDp{-1, 1e-6}, 2).epsilon));
  EXPECT_TRUE(std::isinf(ForGroup(PureDp{kNan}, 2).epsilon));
}

TEST(GroupPrivacyTest, TargetForOneRoundMeetsTheUsersAndIsMaximal) {
  for (const std::uint64_t size : {1U, 2U, 3U, 10U, 100U}) {
    const ApproximateDp user{1, 1e-6};
    const auto one = PerRoundTarget(user, size);
    ASSERT_TRUE(one);
    const ApproximateDp group = ForGroup(*one, size);
    EXPECT_LE(group.epsilon, user.epsilon);
    EXPECT_LE(group.delta, user.delta);
    EXPECT_GE(group.epsilon, user.epsilon * (1 - 1e-14));
    EXPECT_GE(group.delta, user.delta * (1 - 1e-13));
  }
  EXPECT_EQ(PerRoundTarget({1, 0}, 4)->delta, 0);
  EXPECT_NEAR(PerRoundTarget({0, 1e-6}, 4)->delta, 2.5e-7, 1e-20);
}

TEST(GroupPrivacyTest, RejectsTargetsOutsideTheContract) {
  EXPECT_FALSE(PerRoundTarget({1, 1e-6}, 0));
  EXPECT_FALSE(PerRoundTarget({-1, 1e-6}, 2));
  EXPECT_FALSE(PerRoundTarget({1, 1}, 2));
  EXPECT_FALSE(PerRoundTarget({kNan, 1e-6}, 2));
  EXPECT_EQ(PerRoundTarget({1e4, 1e-6}, 2).error().code,
            ErrorCode::kNotConverged);
}

Guarantee OneRound(Notion notion, Relation relation) {
  Guarantee::Params params{.notion = notion,
                           .relation = relation,
                           .epsilon = 0.25,
                           .protects = "a round"};
  if (notion == Notion::kEverlasting) {
    params.schedule = *DeltaSchedule::InverseSquare(1e-8);
  } else {
    params.delta = 1e-8;
  }
  return *Guarantee::Create(params);
}

TEST(GroupPrivacyTest, RestatesAGuaranteeForUsersAndForReplacement) {
  const double factor = 1 + std::exp(.25) + std::exp(.5);
  for (const Notion notion :
       {Notion::kDp, Notion::kChallengeDp, Notion::kEverlasting}) {
    const Guarantee one = OneRound(notion, Relation::kAddRemove);
    const auto user = UserLevel(one, 3);
    ASSERT_TRUE(user);
    EXPECT_EQ(user->rounds_per_user(), 3U);
    EXPECT_NEAR(user->epsilon(), 0.75, 1e-15);
    EXPECT_NEAR(user->delta(), 1e-8 * factor, 1e-20);
    const auto replace = ReplaceFromAddRemove(one);
    ASSERT_TRUE(replace);
    EXPECT_EQ(replace->relation(), Relation::kReplace);
    EXPECT_NEAR(replace->epsilon(), 0.5, 1e-15);
    EXPECT_NEAR(replace->delta(), 1e-8 * (1 + std::exp(.25)), 1e-20);
    EXPECT_EQ(*UserLevel(one, 1), one);
  }
}

TEST(GroupPrivacyTest, RefusesToRestateTwiceOrBackwards) {
  const Guarantee one = OneRound(Notion::kChallengeDp, Relation::kReplace);
  EXPECT_FALSE(ReplaceFromAddRemove(one));
  EXPECT_FALSE(UserLevel(*UserLevel(one, 2), 2));
  EXPECT_FALSE(UserLevel(one, 0));
  EXPECT_FALSE(UserLevel(one, 1000));  // delta would be 1
}

}  // namespace
}  // namespace sotto
