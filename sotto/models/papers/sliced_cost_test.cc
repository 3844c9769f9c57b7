// The costs of RectanglesPERP, computed here by other code, and every place
// where they are compared with a delta.
#include "sotto/models/papers/sliced_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/models/papers/sliced_phases.h"
#include "sotto/models/papers/sliced_predictor.h"

namespace sotto {
namespace {

using Real = long double;

// Runs of tests at one rate: `targets` mediums in a band of `gap` integers, or
// halts (gap 0).
struct Runs {
  double rate = 0;
  Real targets = 0;
  std::int64_t gap = 0;
};

// stopped_process.md, steps 2 and 3: ln R of an order.
Real OwnLogFactor(const Runs& runs, Real order) {
  const Real e0 = runs.rate;
  Real x = std::expm1((order - 1) * e0) * std::expm1(order * e0);
  if (runs.gap > 0) x /= -std::expm1(-e0 * static_cast<Real>(runs.gap));
  return x < 1 ? -std::log1p(-x) : INFINITY;
}

Real OwnDelta(const std::vector<Runs>& all, Real epsilon) {
  Real best = 1;
  for (Real more = 1e-3L; more < 300; more *= 1.002L) {
    const Real order = 1 + more;
    Real moment = 0;
    for (const Runs& runs : all) {
      moment += runs.targets * OwnLogFactor(runs, order);
    }
    best = std::min(best, std::exp(moment - more * epsilon +
                                   more * std::log1p(-1 / order)) /
                              order);
  }
  return best;
}

// Mediums beyond the limit, but for a probability of 2^-110.
Real OwnLate(double stopper) {
  const Real theta = std::exp(-static_cast<Real>(stopper));
  Real none = 1;
  for (int j = 0;; ++j) {
    none *= std::pow(theta, j + 1) / (1 + theta);
    if (none <= std::ldexp(Real{1}, -110)) return j;
  }
}

Runs Tests(const SideNoise& copy, int copies) {
  return {copy.rate,
          copies * (static_cast<Real>(copy.limit) + OwnLate(copy.stopper)),
          copy.high - copy.low - 1};
}
Runs Halts(const SideNoise& copy, int times) {
  return {copy.stopper, static_cast<Real>(times), 0};
}

void ExpectClose(double computed, Real own) {
  SCOPED_TRACE(computed);
  ASSERT_GT(own, 1e-40L);
  ASSERT_LT(own, 0.9L);
  EXPECT_NEAR(computed / static_cast<double>(own), 1, 2e-3);
}

std::optional<ErrorCode> GetCode(const Status& status) {
  if (status) return std::nullopt;
  return status.error().code;
}

const SideNoise kCopy{.rate = 1.0 / 128,
                      .low = 799,
                      .high = 1601,
                      .size = 3200,
                      .limit = 6400,
                      .stopper = 1.0 / 16};
const SideNoise kNext{.rate = 1.0 / 256,
                      .low = 1599,
                      .high = 3201,
                      .size = 6400,
                      .limit = 12800,
                      .stopper = 1.0 / 32};

// Two integers are medium: one more would be far cheaper.
const SideNoise kNarrow{.rate = 1.0 / 16,
                        .low = 8,
                        .high = 11,
                        .size = 30,
                        .limit = 20,
                        .stopper = 1};

TEST(SlicedCostTest, ANarrowBandCostsWhatItsIntegersSay) {
  ExpectClose(SlicesDelta(kNarrow, 2, 9), OwnDelta({Tests(kNarrow, 2)}, 9));
}

TEST(SlicedCostTest, LateMediumsAreThoseOfTheProduct) {
  for (const double stopper : {1.0, 0.25, 1.0 / 16, 1.0 / 64}) {
    const SideNoise copy{.stopper = stopper};
    EXPECT_EQ(static_cast<Real>(LateReports(copy)), OwnLate(stopper));
    EXPECT_LE(LateFailure(copy), 0x1p-110);
    EXPECT_GT(LateFailure(copy), 0);
  }
  // Hardly anything but the late Stoppers: one of each slice, or one copy.
  SideNoise quiet = kCopy;
  quiet.rate = 0x1p-20;
  quiet.stopper = 0x1p-10;
  EXPECT_GE(SlicesDelta(quiet, 4, 16), 4 * LateFailure(quiet));
  EXPECT_LT(SlicesDelta(quiet, 4, 16), 5 * LateFailure(quiet));
  EXPECT_GE(SlicedMediumDelta(quiet, 4, Relation::kReplace, 16),
            2 * LateFailure(quiet));
}

TEST(SlicedCostTest, ARecordPaysForAllSlicesAMediumForStopperAndOneCopy) {
  for (const double epsilon : {6.0, 9.0}) {
    for (const int sides : {2, 4, 6}) {
      const auto all = static_cast<std::uint32_t>(sides);
      ExpectClose(SlicesDelta(kCopy, all, epsilon),
                  OwnDelta({Tests(kCopy, sides)}, epsilon));
      ExpectClose(SlicedMediumDelta(kCopy, all, Relation::kAddRemove, epsilon),
                  OwnDelta({Tests(kCopy, 1), Halts(kCopy, 1)}, epsilon));
      ExpectClose(SlicedMediumDelta(kCopy, all, Relation::kReplace, epsilon),
                  OwnDelta({Tests(kCopy, 2), Halts(kCopy, 2)}, epsilon));
      const Real medium = OwnDelta({Tests(kCopy, 1), Halts(kCopy, 1)}, epsilon);
      const Real two = OwnDelta({Tests(kCopy, 2), Halts(kCopy, 2)}, epsilon);
      const Real slices = OwnDelta({Tests(kNext, sides)}, epsilon);
      const Real both = OwnDelta(
          {Tests(kCopy, 1), Halts(kCopy, 1), Tests(kNext, sides)}, epsilon);
      ExpectClose(
          SlicedQueryDelta(kCopy, kNext, all, Relation::kAddRemove, epsilon),
          std::max(medium, slices));
      ExpectClose(
          SlicedQueryDelta(kCopy, kNext, all, Relation::kReplace, epsilon),
          std::max(two, both));
    }
  }
}

// One side only: two hidden queries cannot be medium on different ones.
TEST(SlicedCostTest, OnOneSideAReplacedMediumPaysOnce) {
  ExpectClose(SlicedMediumDelta(kCopy, 1, Relation::kReplace, 6),
              OwnDelta({Tests(kCopy, 1), Halts(kCopy, 1)}, 6));
}

Result<BoundaryPhases> Chosen(Relation relation) {
  return ChooseSlicedPhases({.epsilon = 8,
                             .delta = 1e-3,
                             .relation = relation,
                             .sides = 2,
                             .error = 0.2},
                            {});
}

// Phase p with these changes, for both kinds of copies.
template <typename Change>
BoundaryPhases Changed(BoundaryPhases phases, std::size_t p,
                       const Change& change) {
  change(phases.phases[p].initial);
  phases.phases[p].recycled = phases.phases[p].initial;
  return phases;
}

// A phase costs its own rounds and the records that it begins with.
TEST(SlicedCostTest, EveryPhaseIsComparedWithItsDelta) {
  for (const Relation relation : {Relation::kAddRemove, Relation::kReplace}) {
    const auto phases = Chosen(relation);
    ASSERT_TRUE(phases);
    ASSERT_TRUE(CheckSlicedPhases(*phases));
    for (std::size_t p = 0; p < phases->phases.size(); ++p) {
      ::testing::ScopedTrace trace(__FILE__, __LINE__, std::to_string(p));
      // Only mediums of this phase pay for its Stoppers.
      const auto stopper = Changed(*phases, p, [](SideNoise& copy) {
        copy.stopper = *SnapRate(16 * copy.stopper);
      });
      EXPECT_EQ(GetCode(CheckSlicedPhases(stopper)),
                ErrorCode::kBudgetExhausted);
      const auto tests = Changed(*phases, p, [](SideNoise& copy) {
        copy.rate = *SnapRate(1.6 * copy.rate);
      });
      EXPECT_EQ(GetCode(CheckSlicedPhases(tests)), ErrorCode::kBudgetExhausted);
    }
  }
}

TEST(SlicedCostTest, TheTrainingSetIsComparedWithItsDeltaAndItsEpsilon) {
  const auto phases = Chosen(Relation::kAddRemove);
  ASSERT_TRUE(phases);
  const SideNoise& first = phases->phases.front().initial;
  const double delta = phases->schedule.At(0);
  double epsilon = phases->target.epsilon;
  while (SlicesDelta(first, 2, 0.99 * epsilon) < delta) epsilon *= 0.99;
  BoundaryPhases less = *phases;
  less.target.training_epsilon = 1.02 * epsilon;
  EXPECT_TRUE(CheckSlicedPhases(less));
  less.target.training_epsilon = 0.97 * epsilon;
  EXPECT_EQ(GetCode(CheckSlicedPhases(less)), ErrorCode::kBudgetExhausted);
  // Its delta is less by the part that was spent before.
  less.target.training_epsilon = epsilon;
  less.target.training_spent = 0.12 * delta;
  EXPECT_FALSE(CheckSlicedPhases(less));
}

TEST(SlicedCostTest, RefusesCopiesThatDifferOrHaveNoExactRate) {
  const auto phases = Chosen(Relation::kAddRemove);
  ASSERT_TRUE(phases);
  BoundaryPhases other = *phases;
  other.phases[1].recycled.limit -= 1;
  EXPECT_EQ(GetCode(CheckSlicedPhases(other)), ErrorCode::kInvalidArgument);
  // A rate with more digits than a sampler can have.
  for (const bool stopper : {false, true}) {
    const auto odd = Changed(*phases, 0, [&](SideNoise& copy) {
      (stopper ? copy.stopper : copy.rate) = 0x1p-10 * (1 + 0x1p-52);
    });
    EXPECT_EQ(GetCode(CheckSlicedPhases(odd)), ErrorCode::kInvalidArgument);
  }
}

// The stated delta of a training row and of a query are the costs above, the
// samplers' share added.
TEST(SlicedCostTest, ThePromiseIsMadeOfTheseCosts) {
  for (const Relation relation : {Relation::kAddRemove, Relation::kReplace}) {
    const auto phases = Chosen(relation);
    ASSERT_TRUE(phases);
    const auto promise = SlicedPromise(*phases, {{8, 1e-3}, relation, 1});
    ASSERT_TRUE(promise);
    const Spend& record = promise->spend();
    ASSERT_EQ(record.parts.size(), 2u);
    const Spend& slices = record.parts[0].parts.back();
    EXPECT_EQ(slices.name, "slices");
    EXPECT_EQ(slices.cost.epsilon, 8);
    ExpectClose(slices.cost.delta,
                OwnDelta({Tests(phases->phases[0].initial, 2)}, 8) +
                    BoundarySlack(phases->phases[0].length, 2, 8));
    Real worst = 0;
    for (std::size_t p = 0; p < phases->phases.size(); ++p) {
      const SideNoise& copy = phases->phases[p].initial;
      const int times = relation == Relation::kReplace ? 2 : 1;
      worst = std::max(worst,
                       OwnDelta({Tests(copy, times), Halts(copy, times)}, 8));
      if (p + 1 == phases->phases.size()) break;
      std::vector<Runs> next = {Tests(phases->phases[p + 1].initial, 2)};
      if (relation == Relation::kReplace) {
        next.push_back(Tests(copy, 1));
        next.push_back(Halts(copy, 1));
      }
      worst = std::max(worst, OwnDelta(next, 8));
    }
    EXPECT_EQ(record.parts[1].name, "query");
    SCOPED_TRACE(relation == Relation::kReplace ? "replace" : "add-remove");
    ExpectClose(record.parts[1].cost.delta, worst);
    // delta(i): every round of every phase is within the sum.
    ASSERT_TRUE(promise->schedule());
    Real sum = promise->schedule()->At(0);
    std::uint64_t end = 0;
    for (const BoundaryPhase& phase : phases->phases) {
      end += phase.length;
      sum += static_cast<Real>(phase.length) * promise->schedule()->At(end);
    }
    EXPECT_LE(static_cast<double>(sum), 1e-3);
    EXPECT_GT(static_cast<double>(sum), 3e-4);
  }
}

}  // namespace
}  // namespace sotto
