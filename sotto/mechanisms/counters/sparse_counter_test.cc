#include "sotto/mechanisms/counters/sparse_counter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

// An observation of the adversary in one step: nothing, or the noisy total of a
// segment that closed, clamped to [0, kMost]. Totals lie in that range in both
// worlds, and beyond its ends the likelihood ratio is constant: clamping loses
// nothing.
constexpr int kNothing = -1;
constexpr int kMost = 4;
constexpr int kOffsets = 60;  // rho is cut at e^(-60 epsilon)
using View = std::vector<int>;
using Distribution = std::map<View, double>;
using Weights = std::vector<double>;  // of rho

struct Small {
  double theta;        // e^-test_epsilon
  double total_theta;  // e^-total_epsilon
  int limit;
  bool reuse_offset = false;  // Broken variant: one rho for all segments.
};

double AtLeast(double theta, int x) { return x <= 0 ? 1 : std::pow(theta, x); }

Weights Prior(const Small& s, double mass) {
  Weights prior;
  for (int rho = 0; rho < kOffsets; ++rho) {
    prior.push_back(mass * (1 - s.theta) * std::pow(s.theta, rho));
  }
  return prior;
}

double Sum(const Weights& weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

Weights Scaled(Weights weights, double factor) {
  for (double& w : weights) w *= factor;
  return weights;
}

// Pr[clamp(total + Z) = seen].
double TotalMass(const Small& s, int total, int seen) {
  auto at_least = [&](int x) {  // Pr[Z >= x]
    const double tail =
        std::pow(s.total_theta, std::abs(x)) / (1 + s.total_theta);
    return x > 0 ? tail : 1 - tail * s.total_theta;
  };
  const double above = seen == kMost ? 0 : at_least(seen + 1 - total);
  return (seen == 0 ? 1 : at_least(seen - total)) - above;
}

void Play(const Small& s, const std::vector<int>& counts, int open,
          const Weights& weights, View& view, Distribution& distribution) {
  const std::size_t t = view.size();
  if (t == counts.size()) {
    distribution[view] += Sum(weights);
    return;
  }
  open += counts[t];
  Weights stays = weights;
  Weights closes = weights;
  for (int rho = 0; rho < kOffsets; ++rho) {
    const double halt = AtLeast(s.theta, s.limit + rho - open);
    stays[static_cast<std::size_t>(rho)] *= 1 - halt;
    closes[static_cast<std::size_t>(rho)] *= halt;
  }
  view.push_back(kNothing);
  Play(s, counts, open, stays, view, distribution);
  view.pop_back();
  const Weights next = s.reuse_offset ? closes : Prior(s, Sum(closes));
  for (int seen = 0; seen <= kMost; ++seen) {
    view.push_back(seen);
    Play(s, counts, 0, Scaled(next, TotalMass(s, open, seen)), view,
         distribution);
    view.pop_back();
  }
}

Distribution ExactDistribution(const Small& s, const std::vector<int>& counts) {
  Distribution distribution;
  View view;
  Play(s, counts, 0, Prior(s, 1), view, distribution);
  return distribution;
}

double Delta(const Distribution& p, const Distribution& q, double epsilon) {
  double delta = 0;
  for (const auto& [view, mass] : p) {
    const auto other = q.find(view);
    const double against = other == q.end() ? 0 : other->second;
    delta += std::max(0.0, mass - std::exp(epsilon) * against);
  }
  return delta;
}

double WorstDelta(const Small& s, double epsilon) {
  double worst = 0;
  for (const std::vector<int>& counts :
       {std::vector<int>{0, 0, 0}, {1, 0, 0}, {1, 1, 1}, {0, 2, 0}}) {
    const Distribution base = ExactDistribution(s, counts);
    for (std::size_t t = 0; t < counts.size(); ++t) {
      std::vector<int> neighbour = counts;
      ++neighbour[t];
      const Distribution other = ExactDistribution(s, neighbour);
      worst = std::max(
          {worst, Delta(base, other, epsilon), Delta(other, base, epsilon)});
    }
  }
  return worst;
}

constexpr double kTestEpsilon = 1.5;
constexpr double kTotalEpsilon = 2;
constexpr double kRounding = 1e-12;

TEST(SparseCounterTest, ExactDistributionIsPrivateInBothDirections) {
  const Small small = {std::exp(-kTestEpsilon), std::exp(-kTotalEpsilon), 2};
  const double epsilon = kTestEpsilon + kTotalEpsilon;
  EXPECT_LE(WorstDelta(small, epsilon), kRounding);
  EXPECT_GT(WorstDelta(small, 0.8 * epsilon), 1e-3);
}

TEST(SparseCounterTest, OneOffsetForAllSegmentsIsRefuted) {
  const Small broken = {std::exp(-kTestEpsilon), std::exp(-kTotalEpsilon), 2,
                        true};
  EXPECT_GT(WorstDelta(broken, kTestEpsilon + kTotalEpsilon), 1e-4);
}

TEST(SparseCounterTest, OffsetPaidByTheTotalsAloneIsRefuted) {
  const Small small = {std::exp(-kTestEpsilon), std::exp(-kTotalEpsilon), 2};
  EXPECT_GT(WorstDelta(small, kTotalEpsilon), 1e-2);
}

const SparseCounter::Params kThousand = {
    .epsilon = 1, .horizon = 1'000'000, .expected_events = 1000};

TEST(SparseCounterTest, PlansSplitTheBudgetAndBoundTheError) {
  const SparseCounter counter = *SparseCounter::Create(kThousand);
  const SparseCounter::Plan& plan = counter.plan();
  EXPECT_LE(plan.test_epsilon + plan.total_epsilon, 1);
  EXPECT_GT(plan.test_epsilon + plan.total_epsilon, 1 - 1e-12);
  EXPECT_LT(counter.ErrorBound(), 100);
  EXPECT_LT(counter.guarantee().delta(), 1e-15);
  const auto more = SparseCounter::Best(
      {.epsilon = 1, .horizon = 1'000'000, .expected_events = 10'000});
  EXPECT_LT(more->error, 160);
}

TEST(SparseCounterTest, AResumedStreamEqualsAnUninterruptedOne) {
  const SparseCounter::Params params = {
      .epsilon = 2, .horizon = 600, .expected_events = 50};
  SparseCounter whole = *SparseCounter::Create(params);
  SparseCounter part = whole;
  testing::SeededRng rng(5);
  testing::SeededRng same(5);
  for (std::uint64_t t = 0; t < 600; ++t) {
    if (t % 97 == 0) {
      ByteWriter writer;
      part.Save(writer);
      ByteReader reader(writer.bytes());
      auto loaded = SparseCounter::Load(params, reader);
      ASSERT_TRUE(loaded && reader.Finish());
      part = *std::move(loaded);
      ByteReader other(writer.bytes());
      EXPECT_FALSE(SparseCounter::Load(
          {.epsilon = 2, .horizon = 600, .expected_events = 500}, other));
    }
    ASSERT_EQ(*whole.Add(t % 2, rng), *part.Add(t % 2, same));
  }
  EXPECT_EQ(whole.Add(0, rng).error().code, ErrorCode::kFailedPrecondition);
}

TEST(SparseCounterTest, AStateIsRefusedUnderAnyOtherParameter) {
  ByteWriter writer;
  SparseCounter::Create({.epsilon = 2, .horizon = 600, .expected_events = 50})
      ->Save(writer);
  auto code = [&](const SparseCounter::Params& other) {
    ByteReader reader(writer.bytes());
    return SparseCounter::Load(other, reader).error().code;
  };
  EXPECT_EQ(code({.epsilon = 1, .horizon = 600, .expected_events = 50}),
            ErrorCode::kCorruption);
  EXPECT_EQ(code({.epsilon = std::nextafter(2, 1),
                  .horizon = 600,
                  .expected_events = 50}),
            ErrorCode::kCorruption);
  EXPECT_EQ(code({.epsilon = 2, .horizon = 601, .expected_events = 50}),
            ErrorCode::kCorruption);
  EXPECT_EQ(code({.epsilon = 2, .horizon = 600, .expected_events = 51}),
            ErrorCode::kCorruption);
  EXPECT_EQ(code({.epsilon = 2,
                  .horizon = 600,
                  .expected_events = 50,
                  .failure = 0.051}),
            ErrorCode::kCorruption);
}

TEST(SparseCounterTest, DrawsOfTestsAndTotalsAreChargedTogether) {
  const auto counter = SparseCounter::Create(
      {.epsilon = 16, .horizon = 1'000'000, .expected_events = 1000});
  EXPECT_NEAR(counter->guarantee().delta() /
                  ((1 + std::exp(16)) * 5e6 * std::ldexp(1, -100)),
              1, 1e-9);
}

TEST(SparseCounterTest, RefusesParametersOutOfRange) {
  auto works = [](double epsilon, double failure) {
    return SparseCounter::Create({.epsilon = epsilon,
                                  .horizon = 1000,
                                  .expected_events = 10,
                                  .failure = failure})
        .has_value();
  };
  EXPECT_TRUE(works(16, 1e-9));
  EXPECT_FALSE(works(16.01, 0.05));
  EXPECT_FALSE(works(1, 1e-305));
}

TEST(SparseCounterTest, GoesOnWhenThereAreMoreEventsThanExpected) {
  SparseCounter counter = *SparseCounter::Create(
      {.epsilon = 1, .horizon = 20'000, .expected_events = 10});
  testing::SeededRng rng(12);
  std::int64_t estimate = 0;
  for (int t = 0; t < 20'000; ++t) estimate = *counter.Add(1, rng);
  EXPECT_NEAR(static_cast<double>(estimate), 20'000, 2000);
}

TEST(SparseCounterStatisticalTest, ErrorsStayWithinTheBound) {
  const SparseCounter fresh = *SparseCounter::Create({.epsilon = 1,
                                                      .horizon = 20'000,
                                                      .expected_events = 300,
                                                      .failure = 0.2});
  std::uint64_t exceeded = 0;
  for (std::uint64_t run = 0; run < 200; ++run) {
    testing::SeededRng rng(run);
    std::vector<std::uint64_t> counts(20'000, 0);
    for (int i = 0; i < 300; ++i) ++counts[rng.Next() % counts.size()];
    std::vector<std::int64_t> estimates(counts.size());
    SparseCounter counter = fresh;
    ASSERT_TRUE(counter.AddBatch(counts, estimates, rng));
    double worst = 0;
    double total = 0;
    for (std::size_t t = 0; t < counts.size(); ++t) {
      total += static_cast<double>(counts[t]);
      worst =
          std::max(worst, std::abs(static_cast<double>(estimates[t]) - total));
    }
    if (worst > fresh.ErrorBound()) ++exceeded;
  }
  EXPECT_LE(ClopperPearsonLower(exceeded, 200, 1e-6), 0.2);
}

}  // namespace
}  // namespace sotto
