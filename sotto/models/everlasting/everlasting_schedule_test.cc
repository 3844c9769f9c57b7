#include "sotto/models/everlasting/everlasting_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sotto/accounting/pop_accountant.h"
#include "sotto/models/everlasting/everlasting_plan.h"

namespace sotto {
namespace {

EverlastingSchedule::Params Plain() {
  return {.epsilon = 3,
          .delta = 1e-5,
          .period = 100'000,
          .stopper = 0.3,
          .shape = {.rows = 50}};
}

TEST(EverlastingScheduleTest, AllDeltasTogetherAreNoMoreThanWasAskedFor) {
  const auto schedule = EverlastingSchedule::Create(Plain());
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->guarantee().notion(), Notion::kEverlasting);
  EXPECT_LE(schedule->guarantee().delta(), 1e-5);
  EXPECT_GT(schedule->guarantee().delta(), 0.99e-5);
}

TEST(EverlastingScheduleTest, EveryPhaseKeepsTheDeltaOfWhatItLearnedFrom) {
  auto schedule = EverlastingSchedule::Create(Plain());
  ASSERT_TRUE(schedule);
  std::uint64_t clock = 0;
  std::uint64_t before = 0;
  double last = 1;
  for (std::uint64_t p = 0; p < 6; ++p) {
    const auto phase = schedule->At(p);
    ASSERT_TRUE(phase) << p;
    // Delta allowed for every round that can have come before the phase.
    const double allowed = schedule->guarantee().schedule()->At(clock);
    EXPECT_LE(EverlastingDelta(*phase, std::max(before, phase->rounds), 0.3, 3,
                               Relation::kReplace),
              allowed);
    EXPECT_LE(allowed, last);
    last = allowed;
    before = phase->rounds;
    clock += phase->rounds;
  }
  EXPECT_LT(last, schedule->guarantee().schedule()->At(0));
}

// Reference: the accountant of the process, by itself. The samplers come on
// top.
TEST(EverlastingScheduleTest, APhaseCostsNoLessThanItsProcess) {
  for (const double rate : {0.01, 0.02}) {
    const EverlastingPhase phase{.teachers = 1000,
                                 .rate = rate,
                                 .gap = 100,
                                 .reports = 300,
                                 .rounds = 1};
    const PopProcess process{
        .rate = rate, .gap = 100, .targets = 300, .stopper = 1};
    const auto replaced = PopDelta(process, 3);
    // Form B at epsilon + e_s: the votes alone at epsilon (step 6).
    const auto emptied = PopDelta(process, 4);
    ASSERT_TRUE(replaced && emptied);
    EXPECT_GE(EverlastingDelta(phase, 1, 1, 3, Relation::kReplace),
              std::min(replaced->delta, 1.0));
    EXPECT_GE(EverlastingDelta(phase, 1, 1, 3, Relation::kAddRemove),
              std::min(emptied->form_b, 1.0) * (1 - 1e-9));
  }
}

TEST(EverlastingScheduleTest, EmptyRoundsCostTheLargerOfTwoNotTheSum) {
  const EverlastingPhase phase{
      .teachers = 1000, .rate = 0.01, .gap = 100, .reports = 300, .rounds = 1};
  const double sum = EverlastingDelta(phase, 1, 1, 3, Relation::kReplace);
  const double larger = EverlastingDelta(phase, 1, 1, 3, Relation::kAddRemove);
  EXPECT_LT(larger, sum / 10);
  // The Stopper alone costs more than epsilon.
  EXPECT_EQ(EverlastingDelta(phase, 1, 3.1, 3, Relation::kAddRemove), 1);
}

TEST(EverlastingScheduleTest, WhereTheSamplersAreTooCoarseThereIsNoPhase) {
  auto params = Plain();
  params.delta = 1e-28;
  auto schedule = EverlastingSchedule::Create(params);
  ASSERT_TRUE(schedule);
  const auto phase = schedule->At(0);
  ASSERT_FALSE(phase);
  EXPECT_EQ(phase.error().code, ErrorCode::kNotConverged);
}

TEST(EverlastingScheduleTest, UsersOfSeveralRoundsGetMoreNoise) {
  auto params = Plain();
  auto once = EverlastingSchedule::Create(params);
  params.rounds_per_user = 3;
  auto schedule = EverlastingSchedule::Create(params);
  ASSERT_TRUE(once && schedule);
  const auto less = once->At(0);
  const auto more = schedule->At(0);
  ASSERT_TRUE(less && more);
  // Two rounds may each be asked in two ways: five steps of the group.
  EXPECT_LT(more->rate, less->rate / 4);
  EXPECT_LE(schedule->epsilon(), 0.6);
  EXPECT_LE(schedule->guarantee().delta(), 1e-5);
  EXPECT_EQ(schedule->guarantee().rounds_per_user(), 3U);
}

TEST(EverlastingScheduleTest, ASavedScheduleIsReadBackAndChecked) {
  auto schedule = EverlastingSchedule::Create(Plain());
  ASSERT_TRUE(schedule->At(1));
  ByteWriter writer;
  schedule->Save(writer);
  ByteReader reader(writer.bytes());
  auto loaded = EverlastingSchedule::Load(reader);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->params(), schedule->params());
  EXPECT_EQ(*loaded->At(1), *schedule->At(1));
  // The rate of the first phase, after its teachers: eight bytes further on
  // from the end of five phases' worth of bytes.
  std::string bytes = writer.bytes();
  const std::size_t rate = bytes.size() - 2 * 40 + 8;
  bytes[rate + 7] = static_cast<char>(bytes[rate + 7] + 1);
  ByteReader damaged(bytes);
  EXPECT_FALSE(EverlastingSchedule::Load(damaged));
}

TEST(EverlastingScheduleTest, RefusesWhatMakesNoSense) {
  const auto refused = [](auto change) {
    auto params = Plain();
    change(params);
    return !EverlastingSchedule::Create(params);
  };
  using Params = EverlastingSchedule::Params;
  EXPECT_TRUE(refused([](Params& p) { p.epsilon = 0; }));
  EXPECT_TRUE(refused([](Params& p) { p.delta = 0; }));
  EXPECT_TRUE(refused([](Params& p) { p.stopper = 3.5; }));
  EXPECT_TRUE(refused([](Params& p) { p.shape.honest = 0; }));
  EXPECT_TRUE(refused([](Params& p) { p.shape.growth = 0.5; }));
  EXPECT_TRUE(refused([](Params& p) { p.period = 0; }));
}

TEST(EverlastingPlanTest, UsesTheLabelledRowsThereAre) {
  for (const double honest : {1.0, 0.5}) {
    const auto params = PlanEverlasting(
        {.epsilon = 3, .delta = 1e-5, .labelled = 1'000'000, .honest = honest});
    ASSERT_TRUE(params);
    const auto rows = LabelledRows(*params);
    ASSERT_TRUE(rows);
    EXPECT_LE(*rows, 1.01e6);
    EXPECT_GT(*rows, 0.95e6);
  }
}

// Chunks of 1/alpha rows, epsilon^2 T^2 queries of T teachers: the noise is
// that of these sizes, and larger than all votes.
TEST(EverlastingPlanTest, PrintedSizesAreTheFormulas) {
  for (const std::uint64_t users : {1U, 2U}) {
    const auto params = PlanEverlasting({.epsilon = 6,
                                         .delta = 1e-4,
                                         .rounds_per_user = users,
                                         .labelled = 20'010,
                                         .paid = true,
                                         .printed = true});
    ASSERT_TRUE(params) << params.error().message;
    auto schedule = EverlastingSchedule::Create(*params);
    ASSERT_TRUE(schedule);
    for (const std::uint64_t phase : {0U, 1U}) {
      const auto made = schedule->At(phase);
      ASSERT_TRUE(made) << made.error().message;
      EXPECT_TRUE(made->paid());
      EXPECT_EQ(made->teachers, 1000);
      EXPECT_EQ(made->rounds, users == 1 ? 36'000'000U : 4'000'000U);
      EXPECT_GT(1 / made->rate, 1000);
    }
  }
  const auto large = PlanEverlasting({.epsilon = 8,
                                      .delta = 1e-4,
                                      .labelled = 1'000'000'000,
                                      .paid = true,
                                      .printed = true});
  ASSERT_FALSE(large);
  EXPECT_NE(large.error().message.find("50,000,000 teachers"),
            std::string::npos);
}

// Where the rounds are given, noise does not depend on how many vote.
TEST(EverlastingPlanTest, GivenRoundsGetAsManyTeachersAsTheirNoiseAsksFor) {
  const auto params = PlanEverlasting(
      {.epsilon = 3, .delta = 1e-5, .paid = true, .rounds = 1'000'000});
  ASSERT_TRUE(params) << params.error().message;
  auto schedule = EverlastingSchedule::Create(*params);
  ASSERT_TRUE(schedule);
  const auto first = schedule->At(0);
  ASSERT_TRUE(first);
  EXPECT_NEAR(static_cast<double>(first->teachers) * first->rate, 8, 0.2);
}

TEST(EverlastingPlanTest, PlansForUsersOfSeveralRoundsAndEitherRelation) {
  for (const Relation relation : {Relation::kReplace, Relation::kAddRemove}) {
    for (const std::uint64_t rounds : {1, 2, 3, 7}) {
      const auto params = PlanEverlasting({.epsilon = 5,
                                           .delta = 1e-5,
                                           .relation = relation,
                                           .rounds_per_user = rounds});
      ASSERT_TRUE(params) << rounds << params.error().message;
      EXPECT_EQ(params->rounds_per_user, rounds);
    }
  }
}

TEST(EverlastingPlanTest, HostileQueriesCostRows) {
  const EverlastingRequest request{.epsilon = 3, .delta = 1e-5, .honest = 1};
  const auto kind = LabelledRows(*PlanEverlasting(request));
  EverlastingRequest hostile = request;
  hostile.honest = 0.5;
  const auto robust = LabelledRows(*PlanEverlasting(hostile));
  EXPECT_GT(*robust, 5 * *kind);
}

}  // namespace
}  // namespace sotto
