#include "sotto/mechanisms/slicing/reorder_slice_compute.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "sotto/mechanisms/slicing/reorder_slice_compute_bound.h"
#include "sotto/random/fixed_work_geometric.h"
#include "sotto/testing/exact_number.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Exact = ExactNumber;
// Step 3 in exact numbers: the two worlds' probabilities of what Helper says,
// with e^(e_1) = x, e^(e_2) = y, t = e^(-e_g).
TEST(ReorderSliceComputeTest,
     HelperIsADistributionInBothWorldsWithTheStatedRatios) {
  const Exact t = Exact(9) / 10;
  const Exact x = Exact(6) / 5;
  for (const Exact& y : {Exact(1), Exact(3) / 2}) {
    Exact apart_with = 1;  // f' of the page
    Exact with = 0;
    Exact without = 0;
    Exact sync_with = 0;
    Exact sync_without = 0;
    Exact mass = 1 - t;
    bool absorbed = false;
    for (int j = 0; j < 200 && !absorbed; ++j, mass *= t) {
      const Exact apart_without = apart_with / x;
      with += mass * apart_with;
      without += mass * apart_without;
      const Exact grown = y / t * (1 - apart_without);
      const Exact next = grown < 1 ? Exact(1 - grown) : Exact(0);
      absorbed = apart_with == 0;
      const Exact a =
          absorbed ? mass / (1 - t) : Exact(mass * (1 - apart_without));
      const Exact b =
          absorbed ? mass * t / (1 - t) : Exact(mass * t * (1 - next));
      sync_without += a;
      sync_with += b;
      EXPECT_LE(b, y * a);  // added: at most e_2
      EXPECT_GE(b, t * a);  // removed: at most e_g
      apart_with = next;
    }
    ASSERT_TRUE(absorbed);
    EXPECT_EQ(with + sync_with, 1);
    EXPECT_EQ(without + sync_without, 1);
    const UnsyncProbability computed = UnsyncFor(
        -std::log(0.9), std::log(1.2), std::log(static_cast<double>(y)));
    EXPECT_NEAR(computed.with, static_cast<double>(with), 1e-8);
    EXPECT_NEAR(computed.without, static_cast<double>(without), 1e-8);
  }
}

TEST(ReorderSliceComputeTest, SynchronisesAsComputedByHand) {
  const UnsyncProbability p = UnsyncFor(0.05, 0.05, 0);
  EXPECT_NEAR(1 - p.without, 0.6412, 5e-5);
  EXPECT_NEAR(1 - p.with, 0.6228, 5e-5);
  EXPECT_NEAR(-std::log(UnsyncFor(0.2, 0.2, 0).with), 0.898, 5e-4);
}

TEST(ReorderSliceComputeTest, BoundIsBelowTheClosedForm) {
  for (const double e : {0.001, 0.01, 0.05, 0.2}) {
    for (const double failure : {0.1, 1e-3, 1e-6, 1e-12}) {
      const auto bound = SliceBound({.slice_epsilon = e,
                                     .substitution_epsilon = 2 * e,
                                     .geometric_rate = e,
                                     .slices = 1'000'000,
                                     .failure = failure});
      ASSERT_TRUE(bound);
      EXPECT_LT(bound->epsilon, SliceEpsilonInClosedForm(e, failure));
    }
  }
  const auto bound = SliceBound({.slice_epsilon = 0.01,
                                 .substitution_epsilon = 0.01,
                                 .geometric_rate = 0.01,
                                 .slices = 1'000'000,
                                 .failure = 1e-6});
  EXPECT_LE(bound->epsilon, 0.155);
}

TEST(ReorderSliceComputeTest, FewSlicesCostTheirSubstitutions) {
  const auto bound = SliceBound({.slice_epsilon = 0.1,
                                 .slice_delta = 1e-9,
                                 .substitution_epsilon = 0.2,
                                 .substitution_delta = 3e-9,
                                 .geometric_rate = 0.1,
                                 .slices = 2,
                                 .failure = 1e-6});
  ASSERT_TRUE(bound);
  EXPECT_NEAR(bound->epsilon, 0.4, 1e-12);
  EXPECT_NEAR(bound->delta, 6e-9, 1e-15);
}

Guarantee Cost(double epsilon, Relation relation = Relation::kAddRemove) {
  return *Guarantee::Create(
      {.relation = relation, .epsilon = epsilon, .protects = "one element"});
}

// Not private: shows the slice.
auto Show(double epsilon) {
  return SliceFunction(Cost(epsilon),
                       [](std::vector<int> slice, Rng&) { return slice; });
}

TEST(ReorderSliceComputeTest, SlicesAreDisjointAndFollowTheOrder) {
  testing::SeededRng rng(4);
  std::vector<int> data;
  for (int i = 0; i < 100; ++i) data.push_back(i % 50);
  auto slicer = ReorderSliceCompute<int>::Create(
      {.slice_epsilon = 4, .slices = 3, .failure = 1e-6}, data);
  ASSERT_TRUE(slicer);
  const auto largest = slicer->Slice(10, std::greater<>(), Show(4), rng);
  ASSERT_TRUE(largest);
  ASSERT_GE(largest->size(), 10U);
  EXPECT_EQ(largest->back(), 49);
  EXPECT_TRUE(std::ranges::is_sorted(*largest));
  const auto even_first = [](int a, int b) { return a % 2 < b % 2; };
  const auto evens = slicer->Slice(20, even_first, Show(4), rng);
  ASSERT_TRUE(evens);
  EXPECT_EQ(evens->front(), 0);
  EXPECT_EQ((*evens)[19] % 2, 0);
  const auto rest = slicer->Slice(1000, even_first, Show(4), rng);
  ASSERT_TRUE(rest);
  EXPECT_EQ(largest->size() + evens->size() + rest->size(), 100U);
  EXPECT_EQ(slicer->Slice(1, even_first, Show(4), rng).error().code,
            ErrorCode::kBudgetExhausted);
}

// Algorithm 1: m_i + Geom(1 - e^-epsilon) elements, the largest under the order
// of the slice, are taken away; what the mechanism is given is shown here.
TEST(ReorderSliceComputeTest, CutsAsTheLinesOfThePaper) {
  constexpr double kEpsilon = 0.25;
  testing::SeededRng here(9);
  testing::SeededRng there(9);
  testing::SeededRng choices(10);
  std::vector<int> data;
  for (int i = 0; i < 3000; ++i) data.push_back(i * 7919 % 3001);
  auto slicer = ReorderSliceCompute<int>::Create(
      {.slice_epsilon = kEpsilon, .slices = 100, .failure = 1e-6}, data);
  const auto geometric = FixedWorkGeometric::Create(*Rational::Create(1, 4));
  ASSERT_TRUE(slicer && geometric);
  for (int i = 0; i < 100; ++i) {
    const auto m = static_cast<std::int64_t>(choices.Next() % 40);
    const int turn = static_cast<int>(choices.Next() % 3001);
    const auto above = [turn](int a, int b) {
      return (a + turn) % 3001 > (b + turn) % 3001;
    };
    const std::size_t noisy =
        static_cast<std::size_t>(m + geometric->Sample(there));
    std::ranges::sort(data, above);
    const auto end = data.begin() +
                     static_cast<std::ptrdiff_t>(std::min(noisy, data.size()));
    std::vector<int> slice(data.begin(), end);
    data.erase(data.begin(), end);
    std::ranges::sort(slice);
    const auto shown = slicer->Slice(m, above, Show(kEpsilon), here);
    ASSERT_TRUE(shown) << shown.error().message;
    ASSERT_EQ(*shown, slice) << i;
  }
  EXPECT_EQ(here.Next(), there.Next());
}

TEST(ReorderSliceComputeTest, RefusesMechanismsThatCostMore) {
  testing::SeededRng rng(4);
  auto slicer =
      ReorderSliceCompute<int>::Create({.slice_epsilon = 0.1,
                                        .slice_relation = Relation::kReplace,
                                        .replace_covers_shorter = true,
                                        .slices = 3,
                                        .failure = 1e-6},
                                       {1, 2, 3});
  ASSERT_TRUE(slicer);
  // The epsilon fits, the relation does not; at half the epsilon it does.
  EXPECT_EQ(slicer->Slice(1, std::less<>(), Show(0.1), rng).error().code,
            ErrorCode::kFailedPrecondition);
  EXPECT_TRUE(WithinSliceBudget(Cost(0.05), 0.1, 0, Relation::kReplace, true));
  const auto count = [](double epsilon) {
    return SliceFunction(Cost(epsilon, Relation::kReplace),
                         [](std::vector<int>, Rng&) { return 0; });
  };
  EXPECT_FALSE(slicer->Slice(1, std::less<>(), count(0.2), rng));
  EXPECT_FALSE(slicer->Slice(-1, std::less<>(), count(0.1), rng));
  EXPECT_EQ(slicer->slices_left(), 3U);
  EXPECT_TRUE(slicer->Slice(1, std::less<>(), count(0.1), rng));
  EXPECT_EQ(slicer->slices_left(), 2U);
}

TEST(ReorderSliceComputeTest, RefusesPromisesAgainstObliviousAdversariesOnly) {
  for (const Relation relation : {Relation::kAddRemove, Relation::kReplace}) {
    Guarantee::Params cost = Cost(0.01, relation).params();
    EXPECT_TRUE(WithinSliceBudget(*Guarantee::Create(cost), 0.1, 0,
                                  Relation::kReplace, true));
    cost.adversary = Adversary::kOblivious;
    EXPECT_FALSE(WithinSliceBudget(*Guarantee::Create(cost), 0.1, 0,
                                   Relation::kReplace, true));
  }
}

// The number of elements is the same for all slices of one size, so showing it
// costs nothing for replacement; but it tells the size, which is secret.
TEST(ReorderSliceComputeTest, RefusesPromisesThatLeaveOutShorterSlices) {
  testing::SeededRng rng(4);
  using Slicer = ReorderSliceCompute<int>;
  const SliceFunction size(
      Cost(0, Relation::kReplace),
      [](std::vector<int> slice, Rng&) { return slice.size(); });
  Slicer::Params params{.slice_epsilon = 0.1, .slices = 3, .failure = 1e-6};
  auto slicer = Slicer::Create(params, {1, 2, 3});
  ASSERT_TRUE(slicer);
  EXPECT_EQ(slicer->Slice(1, std::less<>(), size, rng).error().code,
            ErrorCode::kFailedPrecondition);
  EXPECT_EQ(slicer->slices_left(), 3U);
  params.slice_relation = Relation::kReplace;
  EXPECT_EQ(Slicer::Create(params, {1, 2, 3}).error().code,
            ErrorCode::kInvalidArgument);
}

TEST(ReorderSliceComputeTest, RejectsParametersOutsideTheContract) {
  using Slicer = ReorderSliceCompute<int>;
  const Slicer::Params good{.slice_epsilon = 0.1, .slices = 3, .failure = 1e-6};
  for (const auto& spoil : std::vector<void (*)(Slicer::Params&)>{
           [](auto& p) { p.slice_epsilon = 0; },
           [](auto& p) { p.slice_delta = -1; }, [](auto& p) { p.slices = 0; },
           [](auto& p) { p.failure = 0; }, [](auto& p) { p.failure = 1; },
           [](auto& p) { p.geometric_rate = 1e-5; },
           [](auto& p) { p.slice_relation = Relation::kChangeByOne; }}) {
    auto bad = good;
    spoil(bad);
    EXPECT_FALSE(Slicer::Create(bad, {}));
  }
  EXPECT_TRUE(Slicer::Create(good, {}));
}

// Sizes against the distribution; alpha = 1e-6.
TEST(ReorderSliceComputeStatisticalTest, SizesAreGeometric) {
  testing::SeededRng rng(9);
  std::vector<std::uint64_t> sizes(6);
  const double t = std::exp(-0.5);
  const auto whole = ReorderSliceCompute<int>::Create(
      {.slice_epsilon = 0.5, .slices = 1, .failure = 1e-6}, {1, 2, 3, 4, 5});
  ASSERT_TRUE(whole);
  for (int i = 0; i < 100'000; ++i) {
    auto slicer = *whole;
    ++sizes[slicer.Slice(2, std::less<>(), Show(0.5), rng)->size()];
  }
  const std::vector<double> distribution = {
      0, 0, 1 - t, t * (1 - t), t * t * (1 - t), t * t * t};
  EXPECT_GT(ChiSquaredPValue(sizes, distribution), 1e-6);
}

}  // namespace
}  // namespace sotto
