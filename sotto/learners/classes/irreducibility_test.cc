#include "sotto/learners/classes/irreducibility.h"

#include <gtest/gtest.h>

#include "sotto/learners/classes/classes_test_tools.h"

namespace sotto {
namespace {

// The fewest points that reduce a set, by trying all sets of points.
std::optional<std::size_t> Fewest(LittlestoneDimension& dimension,
                                  const FiniteClass::Set& set) {
  const FiniteClass& functions = dimension.functions();
  const auto labels = dimension.OptimalLabels(set);
  std::optional<std::size_t> fewest;
  for (std::uint64_t chosen = 0;
       chosen < std::uint64_t{1} << functions.points(); ++chosen) {
    FiniteClass::Set left = set;
    for (std::size_t x = 0; x < functions.points(); ++x) {
      if ((chosen >> x & 1) != 0) {
        left = Restrict(functions, left, x, labels[x]);
      }
    }
    if (dimension.Of(left) == dimension.Of(set)) continue;
    const auto points = static_cast<std::size_t>(std::popcount(chosen));
    if (!fewest || points < *fewest) fewest = points;
  }
  return fewest;
}

bool Holds(LittlestoneDimension& dimension, const FiniteClass::Set& set,
           const Irreducibility::Witness& witness) {
  const auto labels = dimension.OptimalLabels(set);
  FiniteClass::Set left = set;
  for (const std::size_t x : witness) {
    left = Restrict(dimension.functions(), left, x, labels[x]);
  }
  return dimension.Of(left) < dimension.Of(set);
}

// As printed: [Littlestone] Def. 4.1: by trying all points.
TEST(IrreducibilityTest, FindsTheFewestPointsThatReduce) {
  ClassRng rng(1);
  std::array<int, 8> seen{};
  for (int run = 0; run < 150; ++run) {
    const FiniteClass functions =
        RandomClass(2 + rng() % 24, 7, rng, 1 + rng() % 4);
    LittlestoneDimension dimension(functions);
    Irreducibility irreducibility(dimension);
    const auto set = functions.All();
    const auto fewest = Fewest(dimension, set);
    for (std::uint64_t k = 0; k <= 8; ++k) {
      const auto found = irreducibility.Reduces(set, k);
      ASSERT_EQ(found.has_value(), fewest && *fewest <= k);
      EXPECT_EQ(irreducibility.IsIrreducible(set, k), !found);
      if (!found) continue;
      EXPECT_EQ(found->size(), *fewest);
      EXPECT_TRUE(Holds(dimension, set, *found));
    }
    const auto greedy = irreducibility.ReducesGreedily(set);
    EXPECT_EQ(greedy.has_value(), fewest.has_value());
    EXPECT_TRUE(!greedy || Holds(dimension, set, *greedy));
    if (fewest) ++seen[*fewest];
  }
  EXPECT_GT(seen[1], 0);
  EXPECT_GT(seen[2], 0);
  EXPECT_GT(seen[3], 0);
}

// A class of points is irreducible until all points but one are used.
TEST(IrreducibilityTest, OfPointsTakesAllButOne) {
  const auto functions = FiniteClass::Named("points", 6);
  LittlestoneDimension dimension(*functions);
  Irreducibility irreducibility(dimension);
  EXPECT_TRUE(irreducibility.IsIrreducible(functions->All(), 4));
  EXPECT_EQ(irreducibility.Reduces(functions->All(), 6)->size(), 5);
}

// Enough points for all functions, or all points, always reduce.
TEST(IrreducibilityTest, EndsWhereTheClassDoes) {
  ClassRng rng(2);
  for (int run = 0; run < 50; ++run) {
    const FiniteClass functions = RandomClass(10, 6, rng);
    LittlestoneDimension dimension(functions);
    Irreducibility irreducibility(dimension);
    const auto set = RandomSet(functions, rng);
    if (dimension.Of(set) < 1) continue;
    EXPECT_FALSE(irreducibility.IsIrreducible(set, 6));
    EXPECT_FALSE(irreducibility.IsIrreducible(set, CountMembers(set)));
  }
}

}  // namespace
}  // namespace sotto
