#include "sotto/models/fits/interval_fit.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <vector>

#include "sotto/models/fits/fit_test_distribution.h"
#include "sotto/random/wide_uniform.h"
#include "sotto/testing/exact_number.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Exact = ExactNumber;
using Interval = IntervalScan::Interval;

constexpr std::uint64_t kPlaces = std::uint64_t{1} << 24;
// Cells of the rows of the small instances. A run of ends goes up to one of
// these, the last up to the end.
const std::vector<std::uint64_t> kCells = {0, 1000, 5'000'000, kPlaces - 1};

TestRow RowAt(std::size_t cell, bool label) {
  return TestExample{{static_cast<std::uint32_t>(kCells[cell] << 8)}, label};
}

std::vector<TestRow> AllRows() {
  std::vector<TestRow> rows = {std::nullopt};
  for (std::size_t c = 0; c < kCells.size(); ++c) {
    for (const bool y : {false, true}) rows.push_back(RowAt(c, y));
  }
  return rows;
}

// Low and high run, label inside; a constant is (-1, -1, inside).
using Class = std::tuple<int, int, bool>;
using IntervalDistribution = std::map<Class, Exact>;

std::uint64_t ComputeLoss(const Interval& interval, const FitBatch& batch) {
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (batch.label(i) == FitBatch::kEmpty) continue;
    const std::uint32_t code = batch.code(i, 0);
    const bool in = code >= interval.low && code < interval.high;
    wrong += (in == interval.inside) != (batch.label(i) == 1) ? 1 : 0;
  }
  return wrong;
}

int FindStretch(std::uint32_t end) {
  const std::uint64_t place = end >> 8;
  int stretch = 0;
  while (place > kCells[static_cast<std::size_t>(stretch)]) ++stretch;
  return stretch;
}

Exact FindPlaces(int stretch) {
  const auto s = static_cast<std::size_t>(stretch);
  return s == 0 ? Exact(1) : Exact(kCells[s] - kCells[s - 1]);
}

// Unnormalised weights of all classes, by the definition.
IntervalDistribution WeightsByDefinition(const FitBatch& batch,
                                         const LossWeights& weights) {
  std::map<Class, std::pair<std::uint64_t, Exact>> all;  // loss, pairs
  const auto code = [](int stretch) {
    return static_cast<std::uint32_t>(kCells[static_cast<std::size_t>(stretch)]
                                      << 8);
  };
  for (const bool inside : {false, true}) {
    for (int a = 0; a < 4; ++a) {
      for (int b = a; b < 4; ++b) {
        const Interval interval{code(a), code(b), inside};
        const Exact pairs =
            FindPlaces(a) * FindPlaces(b) * Exact(a < b ? 2 : 1);
        all[{a, b, inside}] = {ComputeLoss(interval, batch), pairs};
      }
    }
    all[{-1, -1, inside}] = {ComputeLoss({0, 0, inside}, batch),
                             Exact(kPlaces) * Exact(kPlaces)};
  }
  std::uint64_t least = ~std::uint64_t{0};
  for (const auto& [which, entry] : all) least = std::min(least, entry.first);
  IntervalDistribution distribution;
  for (const auto& [which, entry] : all) {
    distribution[which] = ToExact(weights(entry.first - least)) * entry.second;
  }
  return distribution;
}

Exact Sum(const IntervalDistribution& distribution) {
  Exact sum = 0;
  for (const auto& [which, weight] : distribution) sum += weight;
  return sum;
}

LossWeights TestWeights() {
  return *LossWeights::Create(*ParseRational("0.7"), IntervalScan::kBits);
}

TEST(IntervalFitTest, TheSumFollowsTheDefinition) {
  const LossWeights weights = TestWeights();
  const auto all = AllRows();
  testing::SeededRng rng(3);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<TestRow> rows;
    for (std::uint64_t i = rng.Next() % 9; i > 0; --i) {
      rows.push_back(all[rng.Next() % all.size()]);
    }
    const FitBatch batch = MakeBatch(1, rows);
    const IntervalScan scan(batch, weights);
    EXPECT_EQ(ToExact(scan.total()), Sum(WeightsByDefinition(batch, weights)));
  }
}

TEST(IntervalFitTest, ARemovalCostsTheRateAndAReplacementTwice) {
  const LossWeights weights = TestWeights();
  const Exact once = ExpAbove(*ParseRational("0.7"));
  const auto all = AllRows();
  const auto distribution_of = [&](const std::vector<TestRow>& rows) {
    IntervalDistribution distribution =
        WeightsByDefinition(MakeBatch(1, rows), weights);
    const Exact sum = Sum(distribution);
    for (auto& [which, weight] : distribution) weight /= sum;
    return distribution;
  };
  Exact removal = 1;
  Exact replacement = 1;
  for (const TestRow& first : all) {
    for (const TestRow& second : all) {
      std::vector<IntervalDistribution> distributions;
      for (const TestRow& third : all) {
        distributions.push_back(distribution_of({first, second, third}));
      }
      for (std::size_t i = 0; i < distributions.size(); ++i) {
        for (const auto& [which, p] : distributions[i]) {
          const Exact empty = distributions[0].at(which);
          removal = std::max({removal, Exact(p / empty), Exact(empty / p)});
          const Exact other =
              distributions[(i + 3) % distributions.size()].at(which);
          replacement =
              std::max({replacement, Exact(p / other), Exact(other / p)});
        }
      }
    }
  }
  EXPECT_LE(removal, once);
  EXPECT_LE(replacement, once * once);
  EXPECT_GT(replacement, once);
}

// alpha = 1e-6.
TEST(IntervalFitStatisticalTest, PlacesOfTheSumFollowTheDistribution) {
  const LossWeights weights = TestWeights();
  const FitBatch batch = MakeBatch(
      1, {RowAt(1, true), RowAt(2, false), RowAt(2, false), RowAt(1, true)});
  const IntervalScan scan(batch, weights);
  const IntervalDistribution distribution = WeightsByDefinition(batch, weights);
  testing::SeededRng rng(4);
  std::map<Class, std::uint64_t> counts;
  for (int i = 0; i < 200'000; ++i) {
    const Interval found = scan.At(WideUniformBelow(scan.total(), rng));
    const bool constant = found.low == 0 && found.high == 0;
    ++counts[constant ? Class{-1, -1, found.inside}
                      : Class{FindStretch(found.low), FindStretch(found.high),
                              found.inside}];
  }
  std::vector<std::uint64_t> seen;
  std::vector<double> expected;
  // Rare ones together.
  std::uint64_t rest = 200'000;
  double rest_share = 1;
  for (const auto& [which, weight] : distribution) {
    const double share = static_cast<double>(weight / Sum(distribution));
    if (share < 1e-3) continue;
    seen.push_back(counts[which]);
    expected.push_back(share);
    rest -= counts[which];
    rest_share -= share;
  }
  seen.push_back(rest);
  expected.push_back(rest_share);
  EXPECT_GT(seen.size(), 4U);
  EXPECT_GT(ChiSquaredPValue(seen, expected), 1e-6);
}

TEST(IntervalFitTest, FindsAnInterval) {
  const FitColumns columns({{.name = "x"}});
  const auto fit = MakeIntervalFit(columns, {.user = {1, 0}});
  ASSERT_TRUE(fit);
  testing::SeededRng rng(6);
  FitBatch batch(1);
  for (int i = 0; i < 3000; ++i) {
    const auto code = static_cast<std::uint32_t>(rng.Next());
    batch.Add(std::vector{code}, code > 1'000'000'000 && code < 2'000'000'000);
  }
  const FitHypothesis h = (*fit)->Fit(batch, rng);
  int wrong = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    wrong += h.Predict(batch.row(i)) == (batch.label(i) == 1) ? 0 : 1;
  }
  EXPECT_LT(wrong, 60);
}

}  // namespace
}  // namespace sotto
