#include "sotto/mechanisms/mirrors/staircase_mirror_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace sotto {
namespace {

constexpr double kEpsilon = 0.75;
constexpr double kBack = 0.3;
constexpr double kDelta = 1e-3;

// The staircase of one stair with these coordinates (staircase_mirror.md, step
// 6), a little inside all limits; none where a distribution does not exist.
std::optional<Staircase> OneStair(long double top, long double growth,
                                  long double share) {
  const long double up = std::exp(kEpsilon) * (1 - 1e-9L);
  const long double back = std::exp(kBack) * (1 - 1e-9L);
  const long double delta = kDelta * (1 - 1e-6L);
  const long double slack = up - (1 - top + top * growth);
  if (slack <= 0 || 2 - top > up) return {};
  const bool falls = (1 - top) * back < 1;
  const long double end = delta / (falls ? 2 : 1);
  MirrorHump length{.start = std::min((1 - share) * delta / top, 0.25L),
                    .growth = growth,
                    .cap = growth,
                    .end = end};
  if (falls) {
    length.decay = (1 / back - 1 + top) / top;
    length.end = end / (1 - (1 - top) * back);
  }
  const auto silence =
      MirrorDistribution::Create(1, HumpWeights({.start = share * delta,
                                                 .growth = slack,
                                                 .memory = 1 - top,
                                                 .addend = share * delta,
                                                 .cap = up,
                                                 .decay = 1 / back,
                                                 .end = end}));
  const auto stair = MirrorDistribution::Create(1, HumpWeights(length));
  if (!silence || !stair) return {};
  return Staircase{*silence,
                   {{static_cast<std::uint64_t>(top * 0x1p64L), *stair}}};
}

bool Certified(const Staircase& staircase) {
  return ComputeDelta(staircase, kEpsilon).one_over_zero <= kDelta &&
         ComputeDelta(staircase, kBack).zero_over_one <= kDelta;
}

TEST(StaircaseMirrorSearchTest, FindsWhatAGridOverOneStairFinds) {
  double best = std::numeric_limits<double>::infinity();
  int certified = 0;
  for (int top = 2; top < 19; ++top) {
    for (int growth = 0; growth < 10; ++growth) {
      for (const double share : {0.1, 0.3, 0.5, 0.7, 0.9}) {
        const auto staircase =
            OneStair(0.05 * top, 1.1 * std::pow(1.15, growth), share);
        if (!staircase || !Certified(*staircase)) continue;
        ++certified;
        best = std::min(best, staircase->ExpectedMistakes());
      }
    }
  }
  EXPECT_GT(certified, 100);
  const auto found = FindStaircase(kEpsilon, kBack, kDelta, /*delay=*/1);
  ASSERT_TRUE(found);
  EXPECT_TRUE(Certified(*found));
  EXPECT_EQ(found->stairs.size(), 1U);
  EXPECT_LE(found->ExpectedMistakes(), best);
}

// Results of a search that made every distribution and added it up. It took
// seconds.
TEST(StaircaseMirrorSearchTest, IsAsGoodAsWhereEveryDistributionIsMade) {
  const struct {
    double epsilon, back, delta, mistakes;
  } rows[] = {{0.5, 0.05, 1e-12, 323.484},
              {0.3, 0.15, 1e-9, 564.541},
              {0.1, 0.01, 2.5e-7, 3226.6}};
  for (const auto& row : rows) {
    const auto found = FindStaircase(row.epsilon, row.back, row.delta, 1);
    ASSERT_TRUE(found);
    EXPECT_LE(found->ExpectedMistakes(), row.mistakes);
    EXPECT_GE(found->ExpectedMistakes(), 0.99 * row.mistakes);
  }
}

TEST(StaircaseMirrorSearchTest, EndsWhereThereIsNone) {
  for (const double back : {1e-5, 1e-8, 1e-11, 1e-14}) {
    const auto found = FindStaircase(0.5, back, 1e-6, 1);
    ASSERT_FALSE(found) << back;
    EXPECT_EQ(found.error().code, ErrorCode::kNotConverged);
  }
}

}  // namespace
}  // namespace sotto
