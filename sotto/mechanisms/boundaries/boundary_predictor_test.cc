#include "sotto/mechanisms/boundaries/boundary_predictor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sotto/audit/games/leakage_adversaries.h"
#include "sotto/audit/games/leakage_game.h"
#include "sotto/mechanisms/boundaries/boundary_promise.h"
#include "sotto/mechanisms/boundaries/boundary_side.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/testing/replay_rng.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using testing::SeededRng;

// Phases of a few rounds, of which nothing is promised but what they keep.
const BoundaryPhases& Small() {
  static const BoundaryPhases kPhases = *ChooseBoundaryPhases(
      {.epsilon = 8, .delta = 1e-3, .sides = 2, .error = 0.5});
  return kPhases;
}

std::vector<BoundarySet> MakeSets(const BoundaryPhases& phases,
                                  const std::vector<double>& positives) {
  std::vector<BoundarySet> sets(
      2, BoundarySet(phases.phases.front().initial.size));
  for (const double x : positives) {
    sets[0].Add(x);
    sets[1].Add(-x);
  }
  for (BoundarySet& set : sets) set.Settle();
  return sets;
}

BoundaryPredictor Make(const std::vector<double>& positives, Rng& rng) {
  auto made = BoundaryPredictor::Create({{0, false}, {0, true}}, Small(),
                                        MakeSets(Small(), positives), rng);
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return *std::move(made);
}

std::vector<double> Positives(std::size_t count) {
  std::vector<double> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(static_cast<double>(i) / static_cast<double>(count));
  }
  return all;
}

bool Ask(BoundaryPredictor& predictor, double x, Rng& rng) {
  const Feature feature{0, x};
  return predictor.Answer({&feature, 1}, rng).inside;
}

// A test adds to the exact count what the sampler returns, and nothing else
// decides its zone; a number that is not decided is kept once.
TEST(BoundarySideTest, AZoneIsThatOfTheCountAndOfWhatTheSamplerReturns) {
  const BoundaryPhase& phase = Small().phases.front();
  const auto samplers = BoundarySamplers::Create(phase);
  ASSERT_TRUE(samplers);
  SeededRng begin(1);
  BoundarySide side;
  side.Begin(MakeSets(Small(), Positives(200'000))[0], phase, *samplers, begin);
  const SideNoise& noise = phase.initial;
  const auto laplace = FixedWorkLaplace::Create(ExactRate(noise.rate));
  ASSERT_TRUE(laplace);
  SeededRng code(2);
  SeededRng own(2);
  int seen = 0;
  for (int i = 0; i < 3000; ++i) {
    // From the whole set above it to none.
    const double value = static_cast<double>(noise.size) / 200'000 * i / 3000;
    const std::int64_t noisy =
        side.set().CountAbove(value) + laplace->Sample(own);
    const auto zone = side.Test(value, phase, *samplers, code);
    EXPECT_EQ(zone == BoundarySide::Zone::kLow, noisy <= noise.low) << i;
    EXPECT_EQ(zone == BoundarySide::Zone::kHigh, noisy >= noise.high) << i;
    seen |= 1 << static_cast<int>(zone);
  }
  EXPECT_EQ(seen, 7);
}

// A side that has started over has the noise of its new set, also from a state.
TEST(BoundarySideTest, ASavedSideThatStartedOverKeepsItsNoise) {
  const BoundaryPhase& phase = Small().phases.front();
  const auto samplers = BoundarySamplers::Create(phase);
  ASSERT_TRUE(samplers);
  SeededRng rng(1);
  BoundarySide side;
  side.Begin(MakeSets(Small(), Positives(200'000))[0], phase, *samplers, rng);
  const SideNoise& noise = phase.initial;
  const double medium =
      static_cast<double>(noise.size - (noise.low + noise.high) / 2) / 200'000;
  for (int i = 0; i < 100'000 && side.restarts() == 0; ++i) {
    side.Test(medium, phase, *samplers, rng);
    side.Check(phase, *samplers, rng);
  }
  ASSERT_EQ(side.restarts(), 1U);
  ByteWriter writer;
  side.Save(writer);
  BoundarySide loaded;
  ByteReader reader(writer.bytes());
  ASSERT_TRUE(loaded.Load(phase, *samplers, reader));
  EXPECT_TRUE(reader.Finish());
  ByteWriter again;
  loaded.Save(again);
  EXPECT_EQ(again.bytes(), writer.bytes());
  SeededRng left(2);
  SeededRng right(2);
  for (int i = 0; i < 2000; ++i) {
    const double value = medium * i / 2000;
    EXPECT_EQ(side.Test(value, phase, *samplers, left),
              loaded.Test(value, phase, *samplers, right))
        << i;
  }
}

TEST(BoundaryPhasesTest, KeepTheirTargetAndLessNoiseDoesNot) {
  BoundaryPhases phases = Small();
  EXPECT_TRUE(CheckBoundaryPhases(phases));
  EXPECT_LE(phases.schedule.Sum(), 1e-3);
  phases.phases[0].initial.rate *= 1.01;
  EXPECT_FALSE(CheckBoundaryPhases(phases));
  phases = Small();
  phases.phases[1].recycled.rate *= 1.01;
  EXPECT_FALSE(CheckBoundaryPhases(phases));
  phases = Small();
  phases.phases[1].initial.limit *= 2;
  EXPECT_FALSE(CheckBoundaryPhases(phases));
  phases = Small();
  phases.target.sides = 4;
  EXPECT_FALSE(CheckBoundaryPhases(phases));
}

TEST(BoundaryPhasesTest, DeltaFallsAndTheTrainingSetHasItsShare) {
  const DeltaSchedule& schedule = Small().schedule;
  EXPECT_GT(schedule.At(0), 0.3e-3);
  double last = 1;
  for (std::uint64_t i = 0; i < Small().rounds(); i = 2 * i + 1) {
    EXPECT_LE(schedule.At(i), last);
    last = schedule.At(i);
  }
}

// The cost of the training set before its boundary sets is taken from the delta
// of the first phase, which alone holds its rows.
TEST(BoundaryPhasesTest, TheFirstPhasePaysForWhatCameBefore) {
  BoundaryTarget target = Small().target;
  const std::vector<std::uint64_t> lengths = BoundaryLengths(Small().phases);
  const auto before = BoundaryDeltas(target, Small().schedule, lengths);
  target.training_spent = 1e-5;
  const auto after = BoundaryDeltas(target, Small().schedule, lengths);
  ASSERT_EQ(after.size(), before.size());
  ASSERT_GE(before.size(), 2U);
  EXPECT_NEAR(before[0] - after[0], 1e-5, 1e-15);
  for (std::size_t p = 1; p < before.size(); ++p) {
    EXPECT_EQ(before[p], after[p]) << p;
  }
}

TEST(BoundaryPhasesTest, MoreThanTheEarlierRelationNeverCostsLess) {
  const auto one = ChooseBoundaryPhases({.epsilon = 3,
                                         .delta = 1e-5,
                                         .relation = Relation::kAddRemove,
                                         .sides = 2});
  const auto two = ChooseBoundaryPhases({.epsilon = 3,
                                         .delta = 1e-5,
                                         .relation = Relation::kReplace,
                                         .sides = 2});
  ASSERT_TRUE(one && two);
  EXPECT_LT(one->RowsRequired(), two->RowsRequired());
  EXPECT_LT(one->RowsRequired(), 260'000);
}

TEST(BoundaryPhasesTest, ASavedPlanIsTheSameAndAnotherTargetIsRefused) {
  ByteWriter writer;
  Small().Save(writer);
  ByteReader reader(writer.bytes());
  const auto loaded = BoundaryPhases::Load(Small().target, reader);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(*loaded, Small());
  BoundaryTarget other = Small().target;
  other.epsilon *= 0.9;
  ByteReader again(writer.bytes());
  EXPECT_FALSE(BoundaryPhases::Load(other, again));
}

TEST(BoundaryPhasesTest, SeveralRoundsOfAUserKeepTheSum) {
  const BoundaryUser user{{8, 1e-3}, Relation::kAddRemove, 3};
  const auto one = OneRoundCost(user);
  ASSERT_TRUE(one);
  const auto phases = ChooseBoundaryPhases({.epsilon = one->epsilon,
                                            .delta = one->delta,
                                            .relation = user.relation,
                                            .sides = 2,
                                            .error = 0.5});
  ASSERT_TRUE(phases);
  const auto promise = BoundaryPromise(*phases, user, "a point");
  ASSERT_TRUE(promise);
  EXPECT_LE(promise->delta(), 1e-3);
  EXPECT_EQ(promise->rounds_per_user(), 3U);
}

TEST(BoundaryPredictorTest, TellsInsideFromOutsideForSeveralPhases) {
  SeededRng rng(1);
  auto predictor = Make(Positives(200'000), rng);
  std::vector<std::uint64_t> wrong(4);
  std::vector<std::uint64_t> asked(4);
  while (predictor.phase() < 3) {
    const double x =
        std::ldexp(static_cast<double>(rng.Next() >> 11), -53) * 2 - 0.5;
    const bool prediction = Ask(predictor, x, rng);
    ++asked[predictor.phase()];
    if (prediction != (x >= 0 && x <= 1)) ++wrong[predictor.phase()];
  }
  for (std::size_t p = 0; p < 3; ++p) {
    EXPECT_LT(static_cast<double>(wrong[p]),
              0.25 * static_cast<double>(asked[p]))
        << p;
  }
}

TEST(BoundaryPredictorTest, WithoutPositivesEverythingLiesOutside) {
  SeededRng rng(2);
  auto predictor = Make({}, rng);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(Ask(predictor, 0.5, rng));
}

TEST(BoundaryPredictorTest, AtomsAreInsideWithoutTieBreakers) {
  SeededRng rng(3);
  auto predictor = Make(std::vector<double>(100'000, 0.5), rng);
  int inside = 0;
  int outside = 0;
  for (int i = 0; i < 1000; ++i) {
    inside += Ask(predictor, 0.5, rng) ? 1 : 0;
    outside += Ask(predictor, 0.25, rng) ? 0 : 1;
  }
  EXPECT_GT(inside, 950);
  EXPECT_GT(outside, 990);
}

TEST(BoundaryPredictorTest, PhasesEndByTheClockAndAfterTheLastItHalts) {
  SeededRng rng(4);
  BoundaryPhases phases = Small();
  phases.phases.resize(2);
  auto predictor = BoundaryPredictor::Create(
      {{0, false}, {0, true}}, phases, MakeSets(phases, Positives(1000)), rng);
  ASSERT_TRUE(predictor);
  for (std::uint64_t i = 0; i < phases.rounds(); ++i) {
    ASSERT_FALSE(predictor->halted());
    if (i % 2 == 0) {
      predictor->PlayEmptyRound(rng);
    } else {
      Ask(*predictor, 0.5, rng);
    }
    ASSERT_EQ(predictor->phase(), i < phases.phases[0].length ? 0U : 1U);
  }
  EXPECT_TRUE(predictor->halted());
}

TEST(BoundaryPredictorTest, ASavedPredictorGoesOnAsIfNothingHadHappened) {
  SeededRng rng(5);
  auto predictor = Make(Positives(50'000), rng);
  const std::uint64_t length = Small().phases[0].length;
  for (std::uint64_t i = 0; i < length + 100; ++i) {
    Ask(predictor, static_cast<double>(i % 997) / 997, rng);
  }
  ByteWriter writer;
  predictor.Save(writer);
  ByteReader reader(writer.bytes());
  auto loaded =
      BoundaryPredictor::Load({{0, false}, {0, true}}, Small(), reader);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(reader.Finish());
  SeededRng left(6);
  SeededRng right(6);
  for (int i = 0; i < 20'000; ++i) {
    const double x = static_cast<double>(i % 331) / 331;
    ASSERT_EQ(Ask(predictor, x, left), Ask(*loaded, x, right)) << i;
  }
}

// As a player of the leakage attack.
struct Asked {
  BoundaryPredictor predictor;

  Result<std::int64_t> Step(const LeakageInput& input, Rng& rng) {
    return Ask(predictor, input.x(), rng) ? 1 : 0;
  }
};

template <typename Thief>
std::uint64_t Stolen(const std::vector<double>& positives, const Thief& thief,
                     Rng& rng) {
  std::uint64_t stolen = 0;
  for (int game = 0; game < 40; ++game) {
    Asked target{Make(positives, rng)};
    Thief one = thief;
    View view;
    const auto won = PlayLeakage(LeakageRounds(30, 3), target, one, rng, view);
    EXPECT_TRUE(won);
    stolen += won && *won ? 1 : 0;
  }
  return stolen;
}

TEST(BoundaryPredictorTest, SurvivesTheLeakageAttack) {
  const std::vector<double> positives = Positives(20'000);
  SeededRng rng(8);
  EXPECT_EQ(Stolen(positives, BoundaryAttack(30, 3), rng), 0U);
  EXPECT_EQ(Stolen(positives, DigitAttack{30}, rng), 0U);
}

template <typename Saved>
std::size_t CountBytes(const Saved& saved) {
  ByteWriter writer;
  saved.Save(writer);
  return writer.bytes().size();
}

TEST(BoundaryPredictorTest, AQueryInsideIsPutIntoTheNextSetOfEachSideOnce) {
  BoundarySet set(Small().phases[1].initial.size);
  const std::size_t empty = CountBytes(set);
  set.Add(0.5);
  const std::size_t one = CountBytes(set) - empty;
  ASSERT_GT(one, 0U);
  SeededRng rng(8);
  auto predictor = Make(Positives(200'000), rng);
  for (int i = 0; i < 5; ++i) {
    const std::size_t before = CountBytes(predictor);
    ASSERT_TRUE(Ask(predictor, 0.5, rng));
    EXPECT_EQ(CountBytes(predictor) - before, 2 * one);
  }
}

TEST(BoundaryPredictorTest, AQueryThatASideCannotDecideIsPutToNoOther) {
  testing::ReplayRng rng(2);
  auto predictor = Make(Positives(200'000), rng);
  const SideNoise& initial = Small().phases[0].initial;
  const double at =
      static_cast<double>(initial.size - (initial.low + initial.high) / 2) /
      200'000;
  const Feature feature{0, at};
  // Now and then noise lets it pass the first side and not the second.
  int by_first = 0;
  int by_second = 0;
  for (std::uint64_t i = 1; i <= 100; ++i) {
    rng.BeginRound(i, false);
    if (!predictor.Answer({&feature, 1}, rng).undecided) continue;
    const auto& sites = rng.rounds().back().sites;
    const auto counts = std::ranges::count(sites, "boundary count",
                                           &testing::ReplayRng::Site::name);
    ++(counts == 1 ? by_first : by_second);
  }
  EXPECT_GT(by_first, 10);
  EXPECT_GT(by_first, 3 * by_second);
}

TEST(BoundaryPredictorTest, MediumsMakeASideStartOverInsideOfItsOldSet) {
  SeededRng rng(7);
  auto predictor = Make(Positives(200'000), rng);
  const SideNoise& initial = Small().phases[0].initial;
  // Where the count is in the middle of the band.
  const double at =
      static_cast<double>(initial.size - (initial.low + initial.high) / 2) /
      200'000;
  for (std::int64_t i = 0; i < 4 * initial.limit; ++i) Ask(predictor, at, rng);
  EXPECT_GE(predictor.restarts(), 1U);
  // Its own mediums fill the new set: from there on all is inside.
  int inside = 0;
  for (int i = 0; i < 1000; ++i) inside += Ask(predictor, at, rng) ? 1 : 0;
  EXPECT_GT(inside, 900);
  EXPECT_FALSE(Ask(predictor, -0.5, rng));
}

// Tests come before the first check: the proof needs a limit for them.
TEST(BoundaryCostTest, ALimitBelowOneIsRefused) {
  SideNoise noise{.rate = 0.25,
                  .low = 20,
                  .high = 40,
                  .size = 100,
                  .limit = 1,
                  .stopper = 0.5};
  EXPECT_TRUE(Validate(noise));
  for (const std::int64_t limit : {0, -1, -14}) {
    noise.limit = limit;
    EXPECT_FALSE(Validate(noise)) << limit;
  }
}

}  // namespace
}  // namespace sotto
