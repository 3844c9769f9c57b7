#include "sotto/mechanisms/selection/sparse_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/exact_number.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Exact = ExactNumber;
using Bin = SparseHistogram::Bin;
constexpr int kMaxCount = 4;

// Distribution of the release of one bin: nothing, or T, T + 1, ..., top. The
// last stands for all values from there on: above both counts the likelihood
// ratio is constant.
std::vector<Exact> BinDistribution(const Exact& theta, int threshold,
                                   int count) {
  const int top = std::max(threshold, kMaxCount + 1) + 1;
  const DiscreteLaplaceDistribution<Exact> noise(theta);
  std::vector<Exact> distribution = {
      count > 0 ? noise.AtMost(threshold - 1 - count) : Exact(1)};
  for (int n = threshold; n < top; ++n) {
    distribution.push_back(count > 0 ? noise.Mass(n - count) : Exact(0));
  }
  distribution.push_back(count > 0 ? noise.AtLeast(top - count) : Exact(0));
  return distribution;
}

struct Counts {
  int a;
  int b;
};

Exact Delta(const Exact& theta, int threshold, const Exact& ratio, Counts p,
            Counts q) {
  const auto pa = BinDistribution(theta, threshold, p.a);
  const auto pb = BinDistribution(theta, threshold, p.b);
  const auto qa = BinDistribution(theta, threshold, q.a);
  const auto qb = BinDistribution(theta, threshold, q.b);
  Exact sum = 0;
  for (std::size_t i = 0; i < pa.size(); ++i) {
    for (std::size_t j = 0; j < pb.size(); ++j) {
      sum += std::max(Exact(0), Exact(pa[i] * pb[j] - ratio * qa[i] * qb[j]));
    }
  }
  return sum;
}

// One record comes or goes (bin a), at epsilon = rate.
Exact WorstAdded(const Exact& theta, int threshold) {
  Exact worst = 0;
  for (int count = 0; count < kMaxCount; ++count) {
    const Counts p{count, 0};
    const Counts q{count + 1, 0};
    worst = std::max({worst, Delta(theta, threshold, 1 / theta, p, q),
                      Delta(theta, threshold, 1 / theta, q, p)});
  }
  return worst;
}

// One record moves from bin b to bin a, at epsilon = 2 rate.
Exact WorstReplaced(const Exact& theta, int threshold) {
  Exact worst = 0;
  const Exact ratio = 1 / (theta * theta);
  for (int a = 0; a < kMaxCount; ++a) {
    for (int b = 1; b <= kMaxCount; ++b) {
      worst = std::max(
          {worst, Delta(theta, threshold, ratio, {a + 1, b - 1}, {a, b}),
           Delta(theta, threshold, ratio, {a, b}, {a + 1, b - 1})});
    }
  }
  return worst;
}

Exact Claim(const Exact& theta, int threshold) {
  return Power(theta, threshold - 1) / (1 + theta);
}

TEST(SparseHistogramTest, DeltaIsExactlyTheNewBinsForBothRelations) {
  for (const Exact& theta : {Exact(1) / 2, Exact(4) / 5}) {
    for (const int threshold : {1, 2, 5}) {
      EXPECT_EQ(WorstAdded(theta, threshold), Claim(theta, threshold));
      EXPECT_EQ(WorstReplaced(theta, threshold), Claim(theta, threshold));
    }
  }
}

TEST(SparseHistogramTest, OneLowerTheThresholdIsNotPrivate) {
  const Exact theta = Exact(4) / 5;
  EXPECT_GT(WorstAdded(theta, 4), Claim(theta, 5));
  EXPECT_GT(WorstReplaced(theta, 4), Claim(theta, 5));
}

TEST(SparseHistogramTest, NoiseForAddRemoveDoesNotDoForReplace) {
  const Exact theta = Exact(1) / 2;
  EXPECT_GT(Delta(theta, 2, 1 / theta, {3, 1}, {2, 2}), Exact(1) / 6);
}

TEST(SparseHistogramTest, ThresholdIsTheLeastForItsDelta) {
  for (const Relation relation : {Relation::kAddRemove, Relation::kReplace}) {
    for (const double epsilon : {0.1, 1.0, 4.0}) {
      const auto histogram = SparseHistogram::Create(
          {.epsilon = epsilon, .delta = 1e-6, .relation = relation});
      ASSERT_TRUE(histogram);
      EXPECT_LE(histogram->guarantee().delta(), 1e-6);
      EXPECT_GT(NewBinDelta(histogram->rate(), histogram->threshold() - 1),
                1e-6);
    }
  }
  EXPECT_EQ(SparseHistogram::Create(
                {.epsilon = 1, .delta = 1e-6, .relation = Relation::kAddRemove})
                ->threshold(),
            15);
  EXPECT_EQ(SparseHistogram::Create({.epsilon = 1, .delta = 1e-6})->threshold(),
            28);
}

TEST(SparseHistogramTest, ReleasesLargeBinsInOrderAndNeverAbsentOnes) {
  const auto histogram = SparseHistogram::Create({.epsilon = 1, .delta = 1e-6});
  ASSERT_TRUE(histogram);
  testing::SeededRng rng(1);
  std::vector<std::uint64_t> items(500, 42);
  items.insert(items.end(), 400, 7);
  items.push_back(3);
  const std::vector<Bin> bins = histogram->Release(items, rng);
  ASSERT_EQ(bins.size(), 2U);
  EXPECT_EQ(bins[0].item, 7U);
  EXPECT_EQ(bins[1].item, 42U);
  EXPECT_NEAR(static_cast<double>(bins[1].count), 500, 60);
  EXPECT_TRUE(histogram
                  ->ReleaseCounts({{.item = 1, .count = 0},
                                   {.item = 2, .count = -500},
                                   {.item = 3, .count = 0}},
                                  rng)
                  .empty());
  EXPECT_TRUE(histogram->Release({}, rng).empty());
  const auto huge = histogram->ReleaseCounts(
      {{.item = 1, .count = INT64_MAX}, {.item = 1, .count = INT64_MAX}}, rng);
  ASSERT_EQ(huge.size(), 1U);
  EXPECT_GT(huge[0].count, std::int64_t{1} << 59);
  EXPECT_EQ(histogram->CountFor(1e-6), histogram->threshold() + 26);
}

TEST(SparseHistogramTest, RejectsWhatTheContractForbids) {
  for (const SparseHistogram::Params& bad :
       {SparseHistogram::Params{.epsilon = 0, .delta = 1e-6},
        {.epsilon = NAN, .delta = 1e-6},
        {.epsilon = 1, .delta = 0},
        {.epsilon = 1, .delta = 1e-31},
        {.epsilon = 1, .delta = 1},
        {.epsilon = 1, .delta = 1e-6, .relation = Relation::kChangeByOne}}) {
    const auto histogram = SparseHistogram::Create(bad);
    ASSERT_FALSE(histogram);
    EXPECT_EQ(histogram.error().code, ErrorCode::kInvalidArgument);
  }
}

// A count at the threshold is released with probability Pr[Z >= 0], a new bin
// with the claimed one; alpha = 1e-6.
// Printed lines: [Counters] sparse histogram: its distribution.
TEST(SparseHistogramStatisticalTest, ReleasesFollowTheCheckedDistribution) {
  constexpr int kTrials = 200'000;
  const auto histogram = SparseHistogram::Create(
      {.epsilon = 0.5, .delta = 0.05, .relation = Relation::kAddRemove});
  ASSERT_TRUE(histogram);
  const std::vector<Bin> bins = {{.item = 1, .count = 1},
                                 {.item = 2, .count = histogram->threshold()}};
  testing::SeededRng rng(3);
  std::vector<std::uint64_t> seen(4);
  for (int i = 0; i < kTrials; ++i) {
    std::size_t which = 0;
    for (const Bin& bin : histogram->ReleaseCounts(bins, rng)) {
      which += bin.item;
    }
    ++seen[which];
  }
  const double fresh = NewBinDelta(0.5, histogram->threshold());
  const double at = 1 / (1 + std::exp(-0.5));
  EXPECT_GT(
      ChiSquaredPValue(
          seen, std::vector<double>{(1 - fresh) * (1 - at), fresh * (1 - at),
                                    (1 - fresh) * at, fresh * at}),
      1e-6);
}

}  // namespace
}  // namespace sotto
