#include "sotto/base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace sotto {
namespace {

TEST(ResultTest, HoldsAValueOrTheReasonThereIsNone) {
  const Result<int> good = 3;
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 3);
  const Result<int> bad = InvalidArgument("too small");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(bad.error().message, "too small");
}

TEST(ResultTest, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> owned = std::make_unique<int>(7);
  ASSERT_TRUE(owned);
  const std::unique_ptr<int> taken = *std::move(owned);
  EXPECT_EQ(*taken, 7);
}

TEST(ResultTest, StatusIsSuccessOrAnError) {
  EXPECT_TRUE(Ok());
  const Status status = InvalidArgument("no");
  EXPECT_FALSE(status);
}

}  // namespace
}  // namespace sotto
