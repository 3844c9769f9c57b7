#include "sotto/models/papers/sliced_predictor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/mechanisms/selection/selection_params.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/models/papers/sliced_cost.h"
#include "sotto/models/papers/sliced_phases.h"
#include "sotto/random/fixed_work_geometric.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using testing::SeededRng;

double Unit(SeededRng& rng) {
  return std::ldexp(static_cast<double>(rng.Next() >> 11), -53);
}

// Sets so small that a few thousand rounds fill them.
Result<BoundaryPhases> SmallPhases(std::uint32_t dimensions) {
  return ChooseSlicedPhases({.epsilon = 16,
                             .delta = 0.05,
                             .relation = Relation::kAddRemove,
                             .sides = 2 * dimensions,
                             .error = 0.5},
                            {.constant = 0.25});
}

// Algorithm 5 of [PERP], line by line, with the samplers' noise.
class PrintedLines {
 public:
  PrintedLines(const BoundaryPhases& phases, std::vector<SlicedPoint> s,
               Rng& rng)
      : phases_(phases), d_(phases.target.sides / 2), rng_(rng) {
    left_.resize(d_);
    right_.resize(d_);
    RunRsc(std::move(s));
  }

  // {label, medium} of a query; nullptr: no query.
  std::pair<int, bool> Time(const SlicedPoint* x) {
    ++i_;
    for (std::size_t j = 0; j < d_; ++j) {  // (a), (b)
      StoppingQuery(left_[j]);
      StoppingQuery(right_[j]);
    }
    std::pair<int, bool> y = {0, false};  // (d)
    if (x != nullptr) y = Query(*x);
    if (i_ == phases_.phases[p_].length && p_ + 1 < phases_.phases.size()) {
      ++p_;  // (j)
      i_ = 0;
      RunRsc(std::move(d_set_));
      d_set_.clear();
    }
    return y;
  }

 private:
  struct Copy {
    std::vector<double> points;
    std::vector<double> own;  // D_j^left or D_j^right
    std::int64_t mediums = 0;
  };

  const SideNoise& numbers() const { return phases_.phases[p_].initial; }
  void StoppingQuery(Copy& copy) {
    if (copy.mediums + stopper_->Sample(rng_) < numbers().limit) return;
    copy.points = copy.own;
    copy.own.clear();
    copy.mediums = 0;
  }
  // "low", "medium" or "high" for the number of points beyond x[j].
  char Ask(Copy& copy, double x, bool bigger) {
    std::int64_t count = 0;
    for (const double point : copy.points) {
      count += (bigger ? point > x : point < x) ? 1 : 0;
    }
    const std::int64_t delta = numbers().low + 1;
    count += tests_->Sample(rng_);
    if (count < delta) return 'l';
    if (count > 2 * delta) return 'h';
    copy.own.push_back(x);
    ++copy.mediums;
    return 'm';
  }
  std::pair<int, bool> Query(const SlicedPoint& x) {
    for (std::size_t j = 0; j < d_; ++j) {  // (f)
      char a = Ask(left_[j], x[j], true);
      if (a == 'l') a = Ask(right_[j], x[j], false);
      if (a == 'm') return {0, true};   // to (i)
      if (a == 'h') return {0, false};  // (h): (x, 0) is never used
    }
    d_set_.push_back(x);  // (g), (h)
    return {1, false};
  }
  void RunRsc(std::vector<SlicedPoint> s) {
    tests_ = *FixedWorkLaplace::Create(ExactRate(numbers().rate));
    stopper_ = *FixedWorkLaplace::Create(ExactRate(numbers().stopper));
    for (std::size_t j = 0; j < d_; ++j) {  // step 3
      std::sort(s.begin(), s.end());
      std::stable_sort(s.begin(), s.end(), [&](const auto& a, const auto& b) {
        return a[j] > b[j];
      });
      right_[j] = {Slice(s, j), {}, 0};
      std::sort(s.begin(), s.end());
      std::stable_sort(s.begin(), s.end(), [&](const auto& a, const auto& b) {
        return a[j] < b[j];
      });
      left_[j] = {Slice(s, j), {}, 0};
    }
  }
  std::vector<double> Slice(std::vector<SlicedPoint>& s, std::size_t j) {
    const auto rate = RationalBelow(SliceSizeRate(phases_, p_));
    const std::int64_t m =
        numbers().size + FixedWorkGeometric::Create(*rate)->Sample(rng_);
    std::vector<double> slice;
    const auto taken = std::min(static_cast<std::size_t>(m), s.size());
    for (std::size_t i = 0; i < taken; ++i) slice.push_back(s[i][j]);
    s.erase(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(taken));
    return slice;
  }

  const BoundaryPhases& phases_;
  std::size_t d_;
  Rng& rng_;
  std::size_t p_ = 0;
  std::uint64_t i_ = 0;
  std::optional<FixedWorkLaplace> tests_;
  std::optional<FixedWorkLaplace> stopper_;
  std::vector<Copy> left_;
  std::vector<Copy> right_;
  std::vector<SlicedPoint> d_set_;  // the positive points of D
};

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
    PrintedLines lines(*phases, rows, there);
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

TEST(SlicedPredictorTest, AStateContinuesBitByBit) {
  const auto phases = SmallPhases(2);
  ASSERT_TRUE(phases);
  SeededRng world(1);
  SeededRng here(2);
  OutermostPoints points = SlicedPredictor::MakePoints(*phases, 0);
  SlicedPoint x(2);
  for (int i = 0; i < 5'000; ++i) {
    for (double& v : x) v = Unit(world);
    if (Positive(x)) points.Add(x);
  }
  auto box = SlicedPredictor::Create({0, 1}, *phases, std::move(points), here);
  ASSERT_TRUE(box);
  for (int i = 0; i < 30'000; ++i) {
    if (i % 997 == 0) {
      ByteWriter bytes;
      box->Save(bytes);
      ByteReader reader(bytes.bytes());
      auto loaded = SlicedPredictor::Load({0, 1}, *phases, reader);
      ASSERT_TRUE(loaded) << loaded.error().message;
      ByteWriter again;
      loaded->Save(again);
      ASSERT_EQ(bytes.bytes(), again.bytes());
      ByteReader cut(
          std::string_view(bytes.bytes()).substr(0, bytes.bytes().size() - 9));
      EXPECT_FALSE(SlicedPredictor::Load({0, 1}, *phases, cut));
      if (i % 1994 == 0) *box = *std::move(loaded);
    }
    if (DrawQuery(world, x)) {
      box->Answer(Features(x), here);
    } else {
      box->PlayEmptyRound(here);
    }
  }
}

// Pruning changes no slice: the same as from all points.
TEST(OutermostPointsTest, KeepsWhatSlicesCanReach) {
  SeededRng rng(3);
  OutermostPoints few(2, 40);
  std::vector<SlicedPoint> all;
  for (int i = 0; i < 20'000; ++i) {
    const SlicedPoint x = {std::floor(50 * Unit(rng)), Unit(rng)};
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
