#include "sotto/base/memo.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace sotto {
namespace {

struct Request {
  int number = 0;
  bool twice = false;
  friend bool operator==(const Request&, const Request&) = default;
};

class MemoTest : public ::testing::Test {
 protected:
  int Ask(const Request& request) {
    return memo_.Get(request, [&] {
      ++computed_;
      return request.number * (request.twice ? 2 : 1);
    });
  }

  Memo<Request, int, 5> memo_;
  int computed_ = 0;
};

TEST_F(MemoTest, ARequestIsComputedOnce) {
  EXPECT_EQ(Ask({.number = 3}), 3);
  EXPECT_EQ(Ask({.number = 3}), 3);
  EXPECT_EQ(computed_, 1);
}

TEST_F(MemoTest, EveryFieldOfARequestCounts) {
  EXPECT_EQ(Ask({.number = 3}), 3);
  EXPECT_EQ(Ask({.number = 3, .twice = true}), 6);
  EXPECT_EQ(Ask({.number = 4}), 4);
  EXPECT_EQ(computed_, 3);
}

TEST_F(MemoTest, TheOldestResultIsForgottenFirst) {
  constexpr int kMost = 5;
  for (int i = 0; i <= kMost; ++i) EXPECT_EQ(Ask({.number = i}), i);
  EXPECT_EQ(computed_, kMost + 1);
  EXPECT_EQ(Ask({.number = 1}), 1);
  EXPECT_EQ(computed_, kMost + 1);
  EXPECT_EQ(Ask({.number = 0}), 0);
  EXPECT_EQ(computed_, kMost + 2);
}

TEST(MemoThreadsTest, CallsMayRunAtTheSameTime) {
  Memo<int, std::string> memo;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        const int key = i % 100;
        EXPECT_EQ(memo.Get(key, [&] { return std::to_string(key); }),
                  std::to_string(key));
      }
    });
  }
}

}  // namespace
}  // namespace sotto
