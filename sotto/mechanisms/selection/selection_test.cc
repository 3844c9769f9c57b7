#include "sotto/mechanisms/selection/selection.h"

#include <gtest/gtest.h>

#include <vector>

#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

TEST(SelectionTest, PicksPermuteAndFlipForEpsilonAndSaysSo) {
  const auto choose = Selection::Create({.epsilon = 1, .candidates = 50});
  ASSERT_TRUE(choose);
  EXPECT_EQ(choose->rule(), Selection::Rule::kPermuteAndFlip);
  EXPECT_NE(choose->reason().find("permute-and-flip"), std::string_view::npos);
  const auto other =
      ExponentialMechanism::Create({.epsilon = 1, .candidates = 50});
  for (const double failure : {0.5, 0.1, 1e-3, 1e-9}) {
    EXPECT_LE(choose->LossBound(failure), other->LossBound(failure));
  }
}

TEST(SelectionTest, PicksExponentialForZcdpAndSaysSo) {
  const auto choose = Selection::Create({.candidates = 50, .zcdp = 0.125});
  ASSERT_TRUE(choose);
  EXPECT_EQ(choose->rule(), Selection::Rule::kExponential);
  EXPECT_NE(choose->reason().find("zCDP"), std::string_view::npos);
  EXPECT_LE(choose->guarantee().epsilon(), 1);
  EXPECT_GT(choose->guarantee().epsilon(), 1 - 1e-15);
  // All that is proved of permute-and-flip at that zCDP: epsilon^2 / 2.
  const auto other = PermuteAndFlip::Create({.epsilon = 0.5, .candidates = 50});
  for (const double failure : {0.5, 0.1, 1e-3, 1e-9}) {
    EXPECT_LE(choose->LossBound(failure), other->LossBound(failure));
  }
}

TEST(SelectionTest, ChoosesAndRefuses) {
  testing::SeededRng rng(1);
  const std::vector<std::int64_t> scores = {0, 1000, 0};
  for (const Selection::Params& params :
       {Selection::Params{.epsilon = 1, .candidates = 3},
        {.candidates = 3, .zcdp = 0.1}}) {
    const auto choose = Selection::Create(params);
    ASSERT_TRUE(choose);
    EXPECT_EQ(*choose->Select(scores, rng), 1U);
  }
  EXPECT_FALSE(Selection::Create({.candidates = 3}));
  EXPECT_FALSE(Selection::Create({.epsilon = 1, .candidates = 3, .zcdp = 1}));
  EXPECT_FALSE(Selection::Create({.candidates = 3, .zcdp = -1}));
}

}  // namespace
}  // namespace sotto
