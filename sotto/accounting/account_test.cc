#include "sotto/accounting/account.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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
