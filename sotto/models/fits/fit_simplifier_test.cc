#include "sotto/models/fits/fit_simplifier.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

constexpr std::uint32_t kCodes = 4;

// A random tree of full depth over two columns, one of each kind.
std::vector<FitTest> Draw(int depth, Rng& rng) {
  std::vector<FitTest> tests((std::size_t{1} << depth) - 1);
  const auto inner = static_cast<std::int32_t>(tests.size());
  for (std::int32_t i = 0; i < inner; ++i) {
    const std::uint64_t word = rng.Next();
    const auto way = [&](std::int32_t to, bool label) {
      return to < inner ? to : FitTest::Leaf(label);
    };
    const bool number = (word & 1) != 0;
    tests[static_cast<std::size_t>(i)] = {
        .kind = number ? Split::Kind::kAtLeast : Split::Kind::kEquals,
        .column = number ? 0U : 1U,
        .code = static_cast<std::uint32_t>(word >> 8) % kCodes,
        .yes = way(2 * i + 1, (word & 2) != 0),
        .no = way(2 * i + 2, (word & 4) != 0)};
  }
  return tests;
}

TEST(FitSimplifierTest, SaysTheSameOfEveryRowInFewerQuestions) {
  testing::SeededRng rng(3);
  std::size_t saved = 0;
  for (int i = 0; i < 200; ++i) {
    const FitHypothesis tree(Draw(4, rng));
    const FitHypothesis simple = Simplified(tree);
    for (std::uint32_t a = 0; a < kCodes; ++a) {
      for (std::uint32_t b = 0; b < kCodes; ++b) {
        const std::array codes = {a, b};
        ASSERT_EQ(simple.Predict(codes), tree.Predict(codes)) << i;
      }
    }
    ASSERT_LE(simple.tests().size(), tree.tests().size());
    saved += tree.tests().size() - simple.tests().size();
    EXPECT_EQ(Simplified(simple), simple);
  }
  EXPECT_GT(saved, 1000U);  // of 3,000
}

TEST(FitSimplifierTest, ListsAndConstantsStay) {
  const FitHypothesis list(std::vector<FitTest>{
      {.column = 0, .code = 1, .yes = 1, .no = 2},
      {.column = 1, .code = 1, .yes = FitTest::kPositive, .no = 2},
      {.column = 0, .code = 1}});
  EXPECT_EQ(Simplified(list), list);
  EXPECT_EQ(Simplified(FitHypothesis::Constant(true)),
            FitHypothesis::Constant(true));
}

}  // namespace
}  // namespace sotto
