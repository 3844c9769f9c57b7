#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/mechanisms/thresholds/above_threshold.h"

namespace sotto {
namespace {

using Noise = AboveThreshold::ThresholdNoise;
using Params = AboveThreshold::Params;
using Values = std::vector<std::int64_t>;

// The exact distribution of the answers, for a threshold of 0: the mass of each
// value of rho and number of reports left, rho cut off where 1e-14 is left.
class ExactDistribution {
 public:
  ExactDistribution(const Params& params, const AboveThreshold& test)
      : params_(params), e1_(test.threshold_rate()), e2_(test.query_rate()) {
    offset_ = std::llround(1 / std::expm1(e2_) - 1 / std::expm1(e1_));
    const auto size = static_cast<std::size_t>(32 / e1_) + 1;
    for (std::size_t rho = 0; rho < size; ++rho) {
      fresh_.push_back(-std::expm1(-e1_) *
                       std::exp(-e1_ * static_cast<double>(rho)));
    }
  }

  // Pr[some query at least `w` away from the threshold is answered wrongly].
  double Failure(const Values& values, std::int64_t w) const {
    // More reports than there are queries are never used up.
    const std::size_t reports =
        std::min(static_cast<std::size_t>(params_.reports), values.size() + 1);
    Mass right(reports + 1, std::vector<double>(fresh_.size(), 0.0));
    right[reports] = fresh_;
    double wrong = 0;
    for (const std::int64_t value : values) {
      wrong += Play(value, value >= w || value <= -w, right);
    }
    return wrong;
  }

 private:
  using Mass = std::vector<std::vector<double>>;  // by reports left, by rho

  // Returns the mass that is lost to a wrong answer.
  double Play(std::int64_t value, bool counted, Mass& right) const {
    const bool mirrored = params_.charge == Charge::kBelow;
    const std::int64_t need = offset_ + (mirrored ? 1 + value : -value);
    const bool charge_is_right = mirrored ? value < 0 : value >= 0;
    double wrong = 0;
    for (std::size_t left = 1; left < right.size(); ++left) {
      double redrawn = 0;
      for (std::size_t rho = 0; rho < fresh_.size(); ++rho) {
        const auto gap = static_cast<double>(
            std::max<std::int64_t>(need + static_cast<std::int64_t>(rho), 0));
        const double mass = right[left][rho];
        const double charged = mass * std::exp(-e2_ * gap);
        const double free = mass - charged;
        wrong += counted ? (charge_is_right ? free : charged) : 0;
        right[left][rho] = counted && charge_is_right ? 0 : free;
        if (counted && !charge_is_right) continue;
        if (params_.threshold_noise == Noise::kKept) {
          right[left - 1][rho] += charged;
        } else {
          redrawn += charged;
        }
      }
      for (std::size_t rho = 0; rho < fresh_.size(); ++rho) {
        right[left - 1][rho] += redrawn * fresh_[rho];
      }
    }
    return wrong;
  }

  Params params_;
  double e1_;
  double e2_;
  std::int64_t offset_ = 0;
  std::vector<double> fresh_;
};

// Queries at and near the distance the bound speaks of. A query at 0 is not
// counted; it teaches which thresholds survive.
std::vector<Values> Patterns(std::size_t tests, std::int64_t w) {
  std::vector<Values> patterns = {Values(tests, w), Values(tests, -w)};
  Values alternating;
  Values late;
  Values early;
  for (std::size_t i = 0; i < tests; ++i) {
    alternating.push_back(i % 2 == 0 ? w : -w);
    late.push_back(2 * i < tests ? 0 : w);
    early.push_back(2 * i < tests ? -w : w);
  }
  patterns.push_back(alternating);
  patterns.push_back(late);
  patterns.push_back(early);
  return patterns;
}

double WorstFailure(const Params& params, const AboveThreshold& test,
                    std::size_t tests, std::int64_t w) {
  const ExactDistribution distribution(params, test);
  double worst = 0;
  for (const Values& values : Patterns(tests, w)) {
    worst = std::max(worst, distribution.Failure(values, w));
  }
  return worst;
}

void ExpectWithinBound(const Params& params) {
  const auto test = AboveThreshold::Create(params);
  ASSERT_TRUE(test) << test.error().message;
  for (const std::size_t tests : {1, 4, 20}) {
    if (tests > 4 && params.reports > 100) continue;  // too slow
    for (const double failure : {0.001, 0.05, 0.135, 0.2, 0.3, 0.5, 0.9}) {
      const std::int64_t w = test->ErrorBound(tests, failure);
      EXPECT_LE(WorstFailure(params, *test, tests, w), failure + 1e-12)
          << "w " << w << ", tests " << tests << ", epsilon " << params.epsilon
          << ", reports " << params.reports << ", rates "
          << params.threshold_rate << " and " << params.query_rate;
    }
  }
}

TEST(AboveThresholdErrorTest, ExactFailureIsAtMostWhatWasAskedFor) {
  for (const std::int64_t reports : {1, 3, 20, 1000}) {
    for (const Charge charge : {Charge::kAbove, Charge::kBelow}) {
      for (const bool monotone : {false, true}) {
        ExpectWithinBound({.epsilon = 1,
                           .reports = reports,
                           .monotone = monotone,
                           .charge = charge});
      }
    }
  }
}

TEST(AboveThresholdErrorTest, HoldsForNoiseByHandOnEitherSide) {
  for (const Charge charge : {Charge::kAbove, Charge::kBelow}) {
    for (const double threshold_rate : {0.1, 1.0, 4.0}) {
      for (const double query_rate : {0.15, 1.0, 5.0}) {
        ExpectWithinBound({.reports = 1,
                           .charge = charge,
                           .threshold_rate = threshold_rate,
                           .query_rate = query_rate});
      }
    }
  }
}

// A threshold that survives is larger than a fresh one: one union bound over
// the tests is not enough.
TEST(AboveThresholdErrorTest, HoldsWhereTheThresholdIsRedrawn) {
  for (const Charge charge : {Charge::kAbove, Charge::kBelow}) {
    for (const std::int64_t reports : {1, 2, 5, 20}) {
      ExpectWithinBound({.epsilon = 1,
                         .reports = reports,
                         .charge = charge,
                         .threshold_noise = Noise::kRedrawn,
                         .threshold_rate = 0.25,
                         .query_rate = 0.125});
    }
  }
}

// Not so loose as to be useless: a quarter less is not enough.
TEST(AboveThresholdErrorTest, ThreeQuartersOfTheBoundAreTooLittle) {
  const Params params{.epsilon = 1, .reports = 20};
  const auto test = AboveThreshold::Create(params);
  ASSERT_TRUE(test);
  const std::int64_t w = test->ErrorBound(20, 0.05) * 3 / 4;
  EXPECT_GT(WorstFailure(params, *test, 20, w), 0.05);
}

// Broken variant: the tail for arguments of at least 0, its argument clamped.
TEST(AboveThresholdErrorTest, ClampedTailsAreRefuted) {
  const Params params{.epsilon = 1, .reports = 1000};
  const auto test = AboveThreshold::Create(params);
  ASSERT_TRUE(test);
  const double e1 = test->threshold_rate();
  const double e2 = test->query_rate();
  const double both = -std::expm1(-e1 - e2);
  const double centre = std::round(1 / std::expm1(e2) - 1 / std::expm1(e1));
  double w = 0;
  const auto claimed = [&] {
    const double up = std::max(w + centre, 0.0);
    const double down = std::max(w - centre + 1, 0.0);
    return (std::exp(-e2 * up) * -std::expm1(-e1) +
            std::exp(-e1 * down) * -std::expm1(-e2)) /
           both;
  };
  while (claimed() > 0.3) ++w;
  EXPECT_GT(WorstFailure(params, *test, 1, static_cast<std::int64_t>(w)), 0.39);
}

}  // namespace
}  // namespace sotto
