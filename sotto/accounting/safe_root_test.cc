#include "sotto/accounting/safe_root.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

TEST(SafeRootTest, ReturnsTheSafeSideOfTheRoot) {
  const auto falling = [](double x) -> Result<double> { return 2 - x * x; };
  const auto root = SafeRoot(falling, {1, 1}, {2, -2}, 1e-10);
  ASSERT_TRUE(root);
  EXPECT_LE(*falling(*root), 0);
  EXPECT_NEAR(*root, std::sqrt(2.0), 2e-10);
}

TEST(SafeRootTest, TheSafeEndMayBeTheLowerOne) {
  const auto rising = [](double x) -> Result<double> { return x * x * x - 5; };
  const auto root = SafeRoot(rising, {10, 995}, {0, -5}, 1e-10);
  ASSERT_TRUE(root);
  EXPECT_LE(*rising(*root), 0);
  EXPECT_NEAR(*root, std::cbrt(5.0), 2e-10);
}

TEST(SafeRootTest, BisectsAcrossInfinities) {
  const auto step = [](double x) -> Result<double> {
    return x < 0.7 ? 1.0 : -HUGE_VAL;
  };
  const auto root = SafeRoot(step, {0, 1}, {1, -HUGE_VAL}, 1e-9);
  ASSERT_TRUE(root);
  EXPECT_GE(*root, 0.7);
  EXPECT_NEAR(*root, 0.7, 1e-9);
}

TEST(SafeRootTest, FailsOnNan) {
  const auto broken = [](double) -> Result<double> { return std::nan(""); };
  EXPECT_FALSE(SafeRoot(broken, {0, 1}, {1, -1}, 1e-9));
}

}  // namespace
}  // namespace sotto
