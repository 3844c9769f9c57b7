#include "sotto/mechanisms/selection/sparse_sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/exact_number.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Exact = ExactNumber;
constexpr int kUniverse = 4;
constexpr std::size_t kListSize = 2;
using List = std::vector<int>;
using Lists = std::vector<List>;
// By item; the last is "nothing".
using Distribution = std::array<Exact, kUniverse + 1>;

Distribution ComputeDistribution(const Exact& base, int bottom,
                                 const Lists& lists) {
  std::array<int, kUniverse> scores{};
  for (const List& list : lists) {
    for (const int item : list) ++scores[static_cast<std::size_t>(item)];
  }
  Distribution distribution;
  distribution[kUniverse] = Power(base, bottom);
  Exact sum = distribution[kUniverse];
  for (std::size_t i = 0; i < kUniverse; ++i) {
    distribution[i] = scores[i] > 0 ? Power(base, scores[i]) : Exact(0);
    sum += distribution[i];
  }
  for (Exact& p : distribution) p /= sum;
  return distribution;
}

Exact Delta(const Exact& ratio, const Distribution& p, const Distribution& q) {
  Exact sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    sum += std::max(Exact(0), Exact(p[i] - ratio * q[i]));
  }
  return sum;
}

Lists AllLists() {
  Lists all = {{}};
  for (int a = 0; a < kUniverse; ++a) {
    all.push_back({a});
    for (int b = a + 1; b < kUniverse; ++b) all.push_back({a, b});
  }
  return all;
}

struct Worst {
  Exact added = 0;
  Exact replaced = 0;
};

// Over all bases of up to two lists, and all lists added or replaced.
Worst WorstDelta(const Exact& base, int bottom) {
  const Lists all = AllLists();
  std::vector<Lists> bases = {{}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    bases.push_back({all[i]});
    for (std::size_t j = i; j < all.size(); ++j) {
      bases.push_back({all[i], all[j]});
    }
  }
  Worst worst;
  for (const Lists& lists : bases) {
    const Distribution without = ComputeDistribution(base, bottom, lists);
    std::vector<Distribution> with;
    for (const List& list : all) {
      Lists longer = lists;
      longer.push_back(list);
      with.push_back(ComputeDistribution(base, bottom, longer));
    }
    for (const Distribution& p : with) {
      worst.added = std::max(
          {worst.added, Delta(base, p, without), Delta(base, without, p)});
      for (const Distribution& q : with) {
        worst.replaced = std::max(worst.replaced, Delta(base * base, p, q));
      }
    }
  }
  return worst;
}

Exact Claim(const Exact& base, int bottom) {
  const Exact y = Exact(kListSize) * base / Power(base, bottom);
  return y / (1 + y);
}

TEST(SparseSampleTest, DeltaIsExactlyTheOneClaimed) {
  // Also where the weight of new items outgrows e^epsilon - 1.
  for (const auto& [base, bottom] :
       {std::pair(Exact(2), 6), {Exact(2), 0}, {Exact(5) / 4, 2}}) {
    const Worst worst = WorstDelta(base, bottom);
    EXPECT_EQ(worst.added, Claim(base, bottom)) << bottom;
    EXPECT_EQ(worst.replaced, Claim(base, bottom)) << bottom;
  }
}

TEST(SparseSampleTest, WithALowerBottomItIsNotPrivate) {
  const Worst worst = WorstDelta(Exact(2), 5);
  EXPECT_GT(worst.added, Claim(Exact(2), 6));
  EXPECT_GT(worst.replaced, Claim(Exact(2), 6));
}

TEST(SparseSampleTest, BottomIsTheLeastForItsDelta) {
  for (const double epsilon : {0.1, 1.0, 3.0}) {
    const auto sample = SparseSample::Create({.epsilon = epsilon,
                                              .delta = 1e-6,
                                              .list_size = 100,
                                              .max_lists = 1000});
    ASSERT_TRUE(sample);
    EXPECT_LE(sample->guarantee().delta(), 1e-6);
    EXPECT_GT(SparseSampleDelta(epsilon, 100, sample->bottom() - 1), 1e-6);
    EXPECT_LE(static_cast<double>(sample->bottom()),
              2 + std::log(100 / 1e-6) / epsilon);
  }
}

// Lemma 3.1 asks for 10 ln(L / delta) / epsilon = 184.3.
TEST(SparseSampleTest, BottomIsATenthOfTheLemmas) {
  const auto sample = SparseSample::Create(
      {.epsilon = 1, .delta = 1e-6, .list_size = 100, .max_lists = 10});
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->bottom(), 20);
  const auto replace = SparseSample::Create({.epsilon = 2,
                                             .delta = 1e-6,
                                             .list_size = 100,
                                             .max_lists = 10,
                                             .relation = Relation::kReplace});
  ASSERT_TRUE(replace);
  EXPECT_EQ(replace->bottom(), 20);
  EXPECT_EQ(replace->guarantee().epsilon(), 2);
}

TEST(SparseSampleTest, FindsWhatIsOnManyListsAndNothingAmongNone) {
  const auto sample = SparseSample::Create(
      {.epsilon = 1, .delta = 1e-6, .list_size = 3, .max_lists = 200});
  ASSERT_TRUE(sample);
  testing::SeededRng rng(1);
  const std::vector<std::vector<std::uint64_t>> lists(200, {9, 7, 9, 7, 7});
  const auto drawn = sample->Sample(lists, rng);
  ASSERT_TRUE(drawn && *drawn);
  EXPECT_TRUE(**drawn == 7 || **drawn == 9);
  EXPECT_EQ(*sample->Sample({}, rng), std::nullopt);
  // Cut to 7, 9, 11: 12 is never drawn.
  const std::vector<std::vector<std::uint64_t>> longer(200, {12, 9, 7, 11});
  for (int i = 0; i < 100; ++i) EXPECT_LE(**sample->Sample(longer, rng), 11U);
  EXPECT_GT(sample->ScoreFor(1e-6), sample->bottom());
}

TEST(SparseSampleTest, ManyDrawsAreAsManyCalls) {
  const auto sample = SparseSample::Create(
      {.epsilon = 1, .delta = 0.1, .list_size = 2, .max_lists = 8});
  ASSERT_TRUE(sample);
  const std::vector<std::vector<SparseSample::Item>> lists = {
      {1, 2}, {2, 3}, {2}, {1, 4}, {2, 1}};
  testing::SeededRng once(4);
  testing::SeededRng again(4);
  const auto many = sample->SampleMany(lists, 40, once);
  ASSERT_TRUE(many);
  std::map<std::optional<SparseSample::Item>, int> seen;
  for (const auto& item : *many) {
    EXPECT_EQ(item, *sample->Sample(lists, again));
    ++seen[item];
  }
  EXPECT_EQ(many->size(), 40U);
  EXPECT_GT(seen.size(), 2U);
  EXPECT_FALSE(sample->SampleMany(
      std::vector<std::vector<SparseSample::Item>>(9), 2, once));
}

TEST(SparseSampleTest, RejectsWhatTheContractForbids) {
  using Params = SparseSample::Params;
  const Params good{
      .epsilon = 1, .delta = 1e-6, .list_size = 2, .max_lists = 2};
  for (const auto& spoil : std::vector<void (*)(Params&)>{
           [](Params& p) { p.epsilon = 0; }, [](Params& p) { p.delta = 0; },
           [](Params& p) { p.delta = 1e-40; },
           [](Params& p) { p.list_size = 0; },
           [](Params& p) { p.max_lists = 1 << 23; },
           [](Params& p) { p.relation = Relation::kChangeByOne; }}) {
    Params bad = good;
    spoil(bad);
    EXPECT_FALSE(SparseSample::Create(bad));
  }
  testing::SeededRng rng(1);
  const std::vector<std::vector<std::uint64_t>> three(3);
  EXPECT_FALSE(SparseSample::Create(good)->Sample(three, rng));
}

// alpha = 1e-6.
// Printed lines: [Littlestone] Alg. 1: its distribution.
TEST(SparseSampleStatisticalTest, FollowsTheCheckedDistribution) {
  const auto sample = SparseSample::Create(
      {.epsilon = 1, .delta = 0.25, .list_size = 2, .max_lists = 4});
  ASSERT_TRUE(sample);
  const std::vector<std::vector<std::uint64_t>> lists = {{1, 2}, {2, 5}, {2}};
  testing::SeededRng rng(8);
  std::map<std::uint64_t, std::size_t> place = {{1, 0}, {2, 1}, {5, 2}};
  std::vector<std::uint64_t> counts(4);
  for (int i = 0; i < 200'000; ++i) {
    const auto drawn = sample->Sample(lists, rng);
    ++counts[*drawn ? place.at(**drawn) : 3];
  }
  const double e = std::exp(1.0);
  std::vector<double> distribution = {
      e, std::exp(3.0), e, std::exp(static_cast<double>(sample->bottom()))};
  const double sum =
      distribution[0] + distribution[1] + distribution[2] + distribution[3];
  for (double& p : distribution) p /= sum;
  EXPECT_GT(ChiSquaredPValue(counts, distribution), 1e-6);
}

}  // namespace
}  // namespace sotto
