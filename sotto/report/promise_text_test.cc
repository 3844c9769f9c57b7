#include "sotto/report/promise_text.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

Guarantee Make(double epsilon, double delta, std::uint64_t rounds = 1) {
  return *Guarantee::Create({.notion = Notion::kChallengeDp,
                             .epsilon = epsilon,
                             .delta = delta,
                             .rounds_per_user = rounds,
                             .protects = "a row"});
}

TEST(PromiseTextTest, NumbersAreRoundedUp) {
  EXPECT_EQ(PromiseSentence(Make(1, 1e-6)),
            "What one user brings changes the probability of anything that "
            "others see by a factor of at most 2.72, plus 1e-6.");
  // exp(0.5) is 1.6487...
  EXPECT_EQ(PromiseSentence(Make(0.5, 0)),
            "What one user brings changes the probability of anything that "
            "others see by a factor of at most 1.65.");
  EXPECT_EQ(WorstSuspicion(1), "at most 74%");  // 73.1
  EXPECT_EQ(WorstSuspicion(0), "at most 51%");  // 50, and the error of exp
  EXPECT_EQ(WorstSuspicion(20), "no useful limit");
}

TEST(PromiseTextTest, AUselessPromiseIsCalledSo) {
  EXPECT_NE(PromiseSentence(Make(40, 0)).find("no useful limit"),
            std::string::npos);
}

TEST(PromiseTextTest, OtherNeighboursAreNamed) {
  const auto counts = Guarantee::Create({.relation = Relation::kChangeByOne,
                                         .epsilon = 1,
                                         .protects = "a count"});
  EXPECT_TRUE(PromiseSentence(*counts).starts_with("One step of the count"));
  EXPECT_EQ(RoundsPerUser(Make(1, 0, 3)), "3 rounds per user");
  EXPECT_NE(FromWhom(Make(1, 0)).find("adaptively"), std::string::npos);
}

}  // namespace
}  // namespace sotto
