#include "sotto/models/papers/sliced_predictor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/models/papers/sliced_cost.h"
#include "sotto/models/papers/sliced_phases.h"
#include "sotto/models/papers/sliced_test_lines.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using testing::RectanglesLines;
using testing::SeededRng;
using testing::Unit;

// Sets so small that a few thousand rounds fill them.
Result<BoundaryPhases> SmallPhases(std::uint32_t dimensions) {
  return ChooseSlicedPhases({.epsilon = 16,
                             .delta = 0.05,
                             .relation = Relation::kAddRemove,
                             .sides = 2 * dimensions,
                             .error = 0.5},
                            {.constant = 0.25});
}

// Honest queries, hostile ones near the edges, ties, and empty rounds.
bool DrawQuery(SeededRng& rng, SlicedPoint& x) {
  const double kind = Unit(rng);
  for (double& v : x) v = Unit(rng);
  if (kind < 0.15) return false;
  if (kind < 0.4) x[0] = 0.2 + 0.1 * x[0];
  if (kind < 0.5) x[0] = std::floor(8 * x[0]) / 8;
  return true;
}

bool Positive(const SlicedPoint& x) {
  return std::all_of(x.begin(), x.end(),
                     [](double v) { return v >= 0.2 && v <= 0.8; });
}

FeatureVector Features(const SlicedPoint& x) {
  FeatureVector features;
  for (std::uint32_t j = 0; j < x.size(); ++j) features.push_back({j, x[j]});
  return features;
}

std::vector<std::uint32_t> Coordinates(std::uint32_t dimensions) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t j = 0; j < dimensions; ++j) all.push_back(j);
  return all;
}

TEST(SlicedPredictorTest, AnswersAsTheLinesOfThePaper) {
  for (const std::uint32_t d : {1U, 2U, 3U}) {
    const auto phases = SmallPhases(d);
    ASSERT_TRUE(phases) << phases.error().message;
    SeededRng world(d);
    std::vector<SlicedPoint> rows;
    OutermostPoints points = SlicedPredictor::MakePoints(*phases, 0);
    SlicedPoint x(d);
    for (int i = 0; i < 20'000; ++i) {
      for (double& v : x) v = Unit(world);
      if (i % 10 == 0) x[0] = 0.3;
      if (!Positive(x)) continue;
      rows.push_back(x);
      points.Add(x);
    }
    SeededRng here(7);
    SeededRng there(7);
    auto box = SlicedPredictor::Create(Coordinates(d), *phases,
                                       std::move(points), here);
    ASSERT_TRUE(box) << box.error().message;
    RectanglesLines lines(*phases, rows, there);
    int inside = 0;
    int medium = 0;
    constexpr int kRounds = 100'000;
    for (int i = 0; i < kRounds; ++i) {
      if (!DrawQuery(world, x)) {
        box->PlayEmptyRound(here);
        lines.Time(nullptr);
        continue;
      }
      const auto answer = box->Answer(Features(x), here);
      const auto printed = lines.Time(&x);
      ASSERT_EQ(answer.inside ? 1 : 0, printed.first) << d << " " << i;
      ASSERT_EQ(answer.undecided, printed.second) << d << " " << i;
      inside += answer.inside ? 1 : 0;
      medium += answer.undecided ? 1 : 0;
    }
    EXPECT_EQ(here.Next(), there.Next());
    EXPECT_GE(box->phase(), 2u) << d;
    EXPECT_GE(box->restarts(), 3u) << d;
    EXPECT_GT(inside, kRounds / 100);
    EXPECT_GT(medium, 1'000);
  }
}

std::string Bytes(const SlicedPredictor& box) {
  ByteWriter writer;
  box.Save(writer);
  return writer.bytes();
}

Result<SlicedPredictor> Reloaded(const SlicedPredictor& box) {
  const std::string bytes = Bytes(box);
  ByteReader reader(bytes);
  return SlicedPredictor::Load({0, 1}, box.phases(), reader);
}

// A predictor that is saved and loaded again and again beside one that is not:
// in all phases, with the noise of each, and up to the halt.
TEST(SlicedPredictorTest, AStateContinuesBitByBit) {
  auto phases = SmallPhases(2);
  ASSERT_TRUE(phases);
  phases->phases.resize(3);
  phases->phases[2].length = 5'000;
  auto schedule =
      BoundarySchedule(phases->target.delta, BoundaryLengths(phases->phases));
  ASSERT_TRUE(schedule);
  phases->schedule = *std::move(schedule);
  SeededRng world(1);
  SeededRng here(2);
  SeededRng there(2);
  OutermostPoints points = SlicedPredictor::MakePoints(*phases, 0);
  SlicedPoint x(2);
  for (int i = 0; i < 5'000; ++i) {
    for (double& v : x) v = Unit(world);
    if (Positive(x)) points.Add(x);
  }
  OutermostPoints same = points;
  auto box = SlicedPredictor::Create({0, 1}, *phases, std::move(points), here);
  auto saved = SlicedPredictor::Create({0, 1}, *phases, std::move(same), there);
  ASSERT_TRUE(box && saved) << box.error().message;
  std::uint64_t rounds = 0;
  std::vector<std::uint64_t> loads(3);
  for (; !box->halted(); ++rounds) {
    if (rounds % 1'009 == 0) {
      saved = Reloaded(*saved);
      ASSERT_TRUE(saved) << saved.error().message;
      ASSERT_EQ(Bytes(*saved), Bytes(*box)) << rounds;
      ++loads[box->phase()];
    }
    if (DrawQuery(world, x)) {
      const auto one = box->Answer(Features(x), here);
      const auto other = saved->Answer(Features(x), there);
      ASSERT_EQ(one.inside, other.inside) << rounds;
      ASSERT_EQ(one.undecided, other.undecided) << rounds;
    } else {
      box->PlayEmptyRound(here);
      saved->PlayEmptyRound(there);
    }
  }
  EXPECT_EQ(rounds, phases->rounds());
  EXPECT_TRUE(saved->halted());
  EXPECT_EQ(Bytes(*saved), Bytes(*box));
  EXPECT_EQ(saved->restarts(), box->restarts());
  EXPECT_GT(box->restarts(), 0u);
  for (const std::uint64_t count : loads) EXPECT_GT(count, 0u);
  EXPECT_TRUE(Reloaded(*saved)->halted());
}

TEST(SlicedPredictorTest, BytesThatNoStateHasAreRefused) {
  const auto phases = SmallPhases(2);
  ASSERT_TRUE(phases);
  SeededRng rng(4);
  OutermostPoints points = SlicedPredictor::MakePoints(*phases, 0);
  for (int i = 0; i < 900; ++i) points.Add({Unit(rng), Unit(rng)});
  auto box = SlicedPredictor::Create({0, 1}, *phases, std::move(points), rng);
  ASSERT_TRUE(box);
  for (int i = 0; i < 50; ++i) {
    box->Answer(FeatureVector{{0, 0.5}, {1, 0.5}}, rng);
  }
  const std::string bytes = Bytes(*box);
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    ByteReader cut(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(SlicedPredictor::Load({0, 1}, *phases, cut)) << size;
  }
  // A phase that there is not, and a clock beyond its phase.
  constexpr std::size_t kTagBytes = sizeof(std::uint64_t) + 18;
  for (const std::size_t at : {kTagBytes, kTagBytes + 8}) {
    std::string other = bytes;
    other[at + 5] = 'x';
    ByteReader reader(other);
    EXPECT_FALSE(SlicedPredictor::Load({0, 1}, *phases, reader)) << at;
  }
  ByteReader fewer(bytes);
  EXPECT_FALSE(SlicedPredictor::Load({0}, *phases, fewer));
}

// Pruning changes no slice: the same as from all points. Where the second
// coordinate follows the first, its slices begin where those of the first end.
void ExpectSameSlices(bool follows) {
  SCOPED_TRACE(follows);
  SeededRng rng(3);
  OutermostPoints few(2, 40);
  std::vector<SlicedPoint> all;
  for (int i = 0; i < 20'000; ++i) {
    const double v = Unit(rng);
    const double w = Unit(rng);
    const SlicedPoint x = {std::floor((follows ? 5e4 : 50) * v),
                           follows ? v + 1e-3 * w : w};
    all.push_back(x);
    few.Add(x);
  }
  EXPECT_LT(few.kept(), 3'000u);
  std::vector<SlicedPoint> kept = std::move(few).Take();
  for (const SliceOrder& by : SliceOrders(2)) {
    for (auto* set : {&all, &kept}) {
      std::sort(set->begin(), set->end());
      std::stable_sort(set->begin(), set->end(), by);
    }
    for (std::size_t i = 0; i < 40; ++i) ASSERT_EQ(all[i], kept[i]);
    all.erase(all.begin(), all.begin() + 40);
    kept.erase(kept.begin(), kept.begin() + 40);
  }
}

// A slice that is longer than what is kept for it is rarer than any draw that
// is off its distribution.
TEST(SlicedPredictorTest, KeepsPointsForTheLongestSlices) {
  const auto phases = SmallPhases(1);
  ASSERT_TRUE(phases);
  for (const std::size_t p : {0U, 1U}) {
    OutermostPoints points = SlicedPredictor::MakePoints(*phases, p);
    std::size_t kept = 0;
    for (int i = 0; kept <= points.kept(); ++i) {
      kept = points.kept();
      points.Add({static_cast<double>(i)});
    }
    // One slice by the first order, and two by the second.
    const double longest = static_cast<double>(points.kept()) / 3;
    const auto size = static_cast<double>(phases->phases[p].initial.size);
    EXPECT_LT(std::exp(-SliceSizeRate(*phases, p) * (longest - size)),
              0x1p-102);
  }
}

TEST(OutermostPointsTest, KeepsWhatSlicesCanReach) {
  ExpectSameSlices(false);
  ExpectSameSlices(true);
}

TEST(SlicedPhasesTest, LeastNumbersKeepTheTargetAndSpendIt) {
  for (const Relation relation : {Relation::kAddRemove, Relation::kReplace}) {
    const auto phases = ChooseSlicedPhases({.epsilon = 8,
                                            .delta = 1e-3,
                                            .relation = relation,
                                            .sides = 2,
                                            .error = 0.2},
                                           {});
    ASSERT_TRUE(phases);
    EXPECT_TRUE(CheckSlicedPhases(*phases));
    EXPECT_GE(phases->phases.size(), 3u);
    // Under replacement a query pays for two phases, whose noise is chosen as
    // if it were the same.
    const double much = relation == Relation::kReplace ? 1.6 : 1.02;
    BoundaryPhases more = *phases;
    SideNoise& first = more.phases[0].initial;
    first.rate = *SnapRate(much * first.rate);
    more.phases[0].recycled = first;
    EXPECT_FALSE(CheckSlicedPhases(more));
    more = *phases;
    SideNoise& second = more.phases[1].initial;
    second.limit = static_cast<std::int64_t>(much * much *
                                             static_cast<double>(second.limit));
    more.phases[1].recycled = more.phases[1].initial;
    EXPECT_FALSE(CheckSlicedPhases(more));
  }
}

TEST(SlicedPhasesTest, PrintedNumbersKeepTheTargetAndAskForTrillions) {
  for (const Relation relation : {Relation::kAddRemove, Relation::kReplace}) {
    const SlicedNumbers printed{.printed = true};
    const auto phases = ChooseSlicedPhases({.epsilon = 3,
                                            .delta = 1e-5,
                                            .relation = relation,
                                            .sides = 2,
                                            .error = 0.05,
                                            .honest_fraction = 0.5},
                                           printed);
    ASSERT_TRUE(phases);
    EXPECT_TRUE(CheckSlicedPhases(*phases));
    EXPECT_GT(SlicedRowsRequired(*phases, printed), 1e12);
    EXPECT_LT(SlicedRowsRequired(*phases, printed), 1e14);
  }
}

// Three phases from 48,700 rows, and what a smaller margin does.
TEST(SlicedPredictorTest, LearnsFromItsQueriesInPhases) {
  const auto phases = ChooseSlicedPhases({.epsilon = 8,
                                          .delta = 1e-3,
                                          .relation = Relation::kAddRemove,
                                          .sides = 2,
                                          .error = 0.2},
                                         {});
  ASSERT_TRUE(phases);
  const double rows = SlicedRowsRequired(*phases, {});
  EXPECT_LT(rows, 6e4);
  SeededRng rng(5);
  OutermostPoints points = SlicedPredictor::MakePoints(*phases, 0);
  for (int i = 0; i < static_cast<int>(rows); ++i) {
    const double x = Unit(rng);
    if (x >= 0.25 && x <= 0.75) points.Add({x});
  }
  auto box = SlicedPredictor::Create({0}, *phases, std::move(points), rng);
  ASSERT_TRUE(box);
  for (std::size_t p = 0; p < 2; ++p) {
    std::uint64_t wrong = 0;
    const std::uint64_t length = phases->phases[p].length;
    for (std::uint64_t i = 0; i < length; ++i) {
      const double x = Unit(rng);
      const bool inside = box->Answer(FeatureVector{{0, x}}, rng).inside;
      wrong += inside != (x >= 0.25 && x <= 0.75) ? 1 : 0;
    }
    EXPECT_LT(static_cast<double>(wrong) / static_cast<double>(length), 0.13);
  }
  EXPECT_EQ(box->phase(), 2u);
}

}  // namespace
}  // namespace sotto
