#include "sotto/accounting/account.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sotto/accounting/renyi.h"
#include "sotto/accounting/stopped_process.h"

namespace sotto {
namespace {

TEST(AccountTest, NamesGoBothWays) {
  for (const auto mechanism :
       {AccountMechanism::kLaplace, AccountMechanism::kDiscreteLaplace,
        AccountMechanism::kGaussian, AccountMechanism::kDiscreteGaussian,
        AccountMechanism::kPure, AccountMechanism::kAboveThreshold,
        AccountMechanism::kBetweenThresholds, AccountMechanism::kPop}) {
    const auto parsed = ParseAccountMechanism(ToString(mechanism));
    ASSERT_TRUE(parsed);
    EXPECT_EQ(*parsed, mechanism);
  }
  EXPECT_FALSE(ParseAccountMechanism("cauchy"));
}

// Three questions about one mechanism: the noise that is needed for what was
// answered is the noise that was asked about.
TEST(AccountTest, TheThreeQuestionsAgreeForEveryMechanism) {
  constexpr double kDelta = 1e-6;
  for (const auto mechanism :
       {AccountMechanism::kLaplace, AccountMechanism::kDiscreteLaplace,
        AccountMechanism::kGaussian, AccountMechanism::kDiscreteGaussian,
        AccountMechanism::kPure, AccountMechanism::kAboveThreshold,
        AccountMechanism::kBetweenThresholds, AccountMechanism::kPop}) {
    const bool pure = mechanism == AccountMechanism::kPure;
    const bool pop = mechanism == AccountMechanism::kPop;
    const AccountQuestion question{.mechanism = mechanism,
                                   .noise_scale = pure ? 0.05 : 40,
                                   .compositions = pop ? 1U : 3U,
                                   .reports = 4,
                                   .gap = 50,
                                   .stopper = 0.2,
                                   .method = AccountMethod::kRenyi};
    const auto epsilon = LeastEpsilonFor(question, kDelta);
    ASSERT_TRUE(epsilon) << epsilon.error().message;
    const auto delta = LeastDeltaFor(question, epsilon->epsilon);
    ASSERT_TRUE(delta) << delta.error().message;
    EXPECT_NEAR(delta->delta, kDelta, 0.02 * kDelta) << ToString(mechanism);
    const auto noise = LeastNoiseFor(question, epsilon->epsilon, kDelta);
    ASSERT_TRUE(noise) << noise.error().message;
    EXPECT_NEAR(noise->noise_scale, question.noise_scale,
                0.01 * question.noise_scale)
        << ToString(mechanism);
    for (const auto& answer : {*epsilon, *delta}) {
      EXPECT_EQ(answer.noise_scale, question.noise_scale);
    }
  }
}

// A scale is turned into the rate of the noise, to no smaller one.
TEST(AccountTest, ThresholdTestsCostWhatTheirRateDoes) {
  const AccountQuestion question{.mechanism = AccountMechanism::kAboveThreshold,
                                 .noise_scale = 40,
                                 .reports = 4,
                                 .method = AccountMethod::kRenyi};
  const auto curve = StoppedProcessCurve({.rate = 1.0 / 40, .targets = 4});
  const auto asked = LeastDeltaFor(question, 1);
  ASSERT_TRUE(curve && asked);
  const double direct = DeltaFromRenyi(*curve, 1);
  EXPECT_GE(asked->delta, direct);
  EXPECT_LE(asked->delta, direct * (1 + 1e-6));
}

TEST(AccountTest, RunsOfThresholdTestsCostAsMuchAsOneWithAllReports) {
  const AccountQuestion runs{.mechanism = AccountMechanism::kAboveThreshold,
                             .noise_scale = 40,
                             .compositions = 5,
                             .reports = 4};
  const AccountQuestion one{.mechanism = AccountMechanism::kAboveThreshold,
                            .noise_scale = 40,
                            .reports = 20};
  const auto delta_of_runs = LeastDeltaFor(runs, 1.0);
  const auto delta_of_one = LeastDeltaFor(one, 1.0);
  ASSERT_TRUE(delta_of_runs);
  ASSERT_TRUE(delta_of_one);
  EXPECT_EQ(delta_of_runs->delta, delta_of_one->delta);
}

TEST(AccountTest, TheExactMethodNeedsLessNoiseThanTheRenyiBound) {
  AccountQuestion question{.mechanism = AccountMechanism::kBetweenThresholds,
                           .reports = 10,
                           .gap = 80};
  question.method = AccountMethod::kExact;
  const auto exact = LeastNoiseFor(question, 1.0, 1e-6);
  question.method = AccountMethod::kRenyi;
  const auto renyi = LeastNoiseFor(question, 1.0, 1e-6);
  ASSERT_TRUE(exact);
  ASSERT_TRUE(renyi);
  EXPECT_LT(exact->noise_scale, renyi->noise_scale);
  EXPECT_GT(exact->noise_scale, 0.8 * renyi->noise_scale);
}

TEST(AccountTest, SeveralRunsOfPopAreChargedByBasicComposition) {
  const AccountQuestion one{.mechanism = AccountMechanism::kPop,
                            .noise_scale = 100,
                            .reports = 20,
                            .gap = 50,
                            .stopper = 0.2,
                            .method = AccountMethod::kRenyi};
  AccountQuestion three = one;
  three.compositions = 3;
  const auto single = LeastDeltaFor(one, 0.5);
  const auto triple = LeastDeltaFor(three, 1.5);
  ASSERT_TRUE(single);
  ASSERT_TRUE(triple);
  EXPECT_GE(triple->delta, 3 * single->delta);
  EXPECT_LE(triple->delta, 3 * single->delta * (1 + 1e-9));
  EXPECT_EQ(triple->method, "renyi, basic composition");
}

// Rounded to nearest, about half of the reciprocals would be too small.
TEST(AccountTest, TheScaleOfAPureMechanismIsNeverTooSmall) {
  const auto spends_more = [](double scale, double epsilon_each) {
    return std::fma(scale, epsilon_each, -1.0) < 0;
  };
  int nearest_too_small = 0;
  for (std::uint64_t count = 1; count <= 40; ++count) {
    const auto answer = LeastNoiseFor(
        {.mechanism = AccountMechanism::kPure, .compositions = count}, 1.0,
        1e-6);
    ASSERT_TRUE(answer);
    EXPECT_FALSE(spends_more(PureNoiseScale(*answer), answer->noise_scale));
    nearest_too_small +=
        spends_more(1 / answer->noise_scale, answer->noise_scale) ? 1 : 0;
  }
  EXPECT_GT(nearest_too_small, 5);
  AccountAnswer quarter;
  quarter.noise_scale = 0.25;
  EXPECT_EQ(PureNoiseScale(quarter), 4);
}

TEST(AccountTest, ParametersOutsideTheContractAreRefused) {
  const AccountQuestion good{.noise_scale = 5};
  EXPECT_TRUE(LeastEpsilonFor(good, 1e-6));
  for (const double delta : {0.0, 1.0, -1.0, std::nan("")}) {
    EXPECT_FALSE(LeastEpsilonFor(good, delta)) << delta;
    EXPECT_FALSE(LeastNoiseFor(good, 1.0, delta)) << delta;
  }
  for (const double bad :
       {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(LeastDeltaFor(good, bad)) << bad;
    EXPECT_FALSE(LeastDeltaFor({.noise_scale = bad}, 1.0)) << bad;
  }
  EXPECT_FALSE(LeastDeltaFor({.noise_scale = 5, .compositions = 0}, 1.0));
  EXPECT_FALSE(LeastDeltaFor({.mechanism = AccountMechanism::kBetweenThresholds,
                              .noise_scale = 5,
                              .gap = 0},
                             1.0));
  EXPECT_FALSE(LeastDeltaFor({.mechanism = AccountMechanism::kAboveThreshold,
                              .noise_scale = 5,
                              .compositions = std::uint64_t{1} << 40,
                              .reports = std::int64_t{1} << 40},
                             1.0));
}

}  // namespace
}  // namespace sotto
