#include "sotto/learners/classes/paper_learners.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

// The published analysis requires hopeless numbers, known in advance.
TEST(PaperLearnersTest, NeedTheNumbersOfTheAnalysis) {
  EXPECT_NEAR(PaperErmFor(1, 0.1, 0.05, 1, 1e-6).rows / 4e7, 1, 0.1);
  EXPECT_NEAR(PaperErmFor(2, 0.1, 0.05, 1, 1e-6).rows / 4.5e8, 1, 0.1);
  EXPECT_NEAR(PaperOnlineFor(1, 1e6, 1, 1e-6).mistakes, 5e2, 20);
  EXPECT_NEAR(PaperOnlineFor(2, 1e6, 1, 1e-6).mistakes / 4.6e5, 1, 0.1);
}

}  // namespace
}  // namespace sotto
