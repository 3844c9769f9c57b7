#include "sotto/audit/coin_audit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sotto/audit/games/coin_tail.h"

namespace sotto {
namespace {

TEST(CoinTailTest, TheBestTailIsTheOneOfThreeRoundsByHand) {
  // One loss ends the earning: l + 1 rewards in a row, 5/6 each.
  const auto one = BestCoinTail({.budget = 1, .rounds = 3}, 3);
  for (std::size_t l = 0; l < 3; ++l) {
    EXPECT_NEAR(one[l], std::pow(5.0 / 6, static_cast<double>(l) + 1), 1e-12);
  }
  EXPECT_EQ(one[3], 0);
  // Two losses: two rewards or more in three rounds.
  const auto two = BestCoinTail({.budget = 2, .rounds = 3}, 2);
  EXPECT_NEAR(two[1], std::pow(5.0 / 6, 2) * (1 + 2.0 / 6), 1e-12);
  // Without a budget nothing is earned.
  EXPECT_EQ(BestCoinTail({.budget = 0, .rounds = 9}, 2)[0], 0);
}

TEST(CoinTailTest, TheBoundsAreInTheirOrder) {
  const auto best = BestCoinTail({.budget = 4, .rounds = 300}, 200);
  for (std::size_t l = 0; l <= 200; ++l) {
    const auto x = static_cast<double>(l);
    EXPECT_LE(best[l], CoinSupermartingale(4, x) * (1 + 1e-9)) << l;
    EXPECT_LE(CoinSupermartingale(4, x), CoinTheorem(4, x) + 1e-9) << l;
  }
}

TEST(CoinAuditStatisticalTest, TheTheoremHoldsAndAllInIsTheBestStrategy) {
  const auto result = AuditCoins(
      {.game = {.budget = 3, .rounds = 200}, .runs = 20'000, .seed = 3});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->violation());
  EXPECT_EQ(CoinVerdict(*result), "consistent");
  for (const CoinRow& row : result->rows) {
    const double played = static_cast<double>(row.hits) / 20'000;
    // Five standard deviations, at most a fiftieth.
    if (row.adversary == "all-in") {
      EXPECT_NEAR(played, row.best, 0.02);
    }
    EXPECT_LE(played, row.best + 0.02);
  }
}

TEST(CoinAuditTest, ATailAboveTheTheoremIsAViolation) {
  auto result = AuditCoins({.runs = 300});
  ASSERT_TRUE(result);
  ASSERT_FALSE(result->violation());
  result->rows.back().above_theorem = true;
  EXPECT_TRUE(result->violation());
  EXPECT_NE(CoinText(*result).find("does not hold"), std::string::npos);
  const std::string json = CoinJson(*result).Dump();
  EXPECT_NE(json.find("\"verdict\":\"violation\""), std::string::npos) << json;
}

TEST(CoinAuditTest, TheSeedDecidesAndWhatCannotBePlayedIsRefused) {
  const CoinAuditOptions options{.runs = 300, .seed = 5};
  EXPECT_EQ(CoinJson(*AuditCoins(options)).Dump(),
            CoinJson(*AuditCoins(options)).Dump());
  EXPECT_NE(CoinText(*AuditCoins(options)),
            CoinText(*AuditCoins({.runs = 300, .seed = 6})));
  EXPECT_FALSE(AuditCoins({.runs = 0}));
  EXPECT_FALSE(AuditCoins({.game = {.budget = 1000, .rounds = 1'000'000}}));
}

}  // namespace
}  // namespace sotto
