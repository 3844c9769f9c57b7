#include "sotto/models/pop/pop_schedule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/pop_accountant.h"
#include "sotto/models/pop/pop_test_tools.h"

namespace sotto {
namespace {

PopSchedule OnePhase(PhaseEnd handover = PhaseEnd::kRestart) {
  return {.handover = handover,
          .stopper = 0.15,
          .phases = {
              {.copies = 4001, .rate = 1.0 / 256, .gap = 80, .reports = 300}}};
}

TEST(PopScheduleTest, TheBandLiesStrictlyAroundHalfTheCopies) {
  for (std::int64_t copies = 1; copies < 40; ++copies) {
    for (std::int64_t gap = 1; gap < 60; ++gap) {
      const PopBand band = ComputeBand({.copies = copies, .gap = gap});
      EXPECT_EQ(band.high - band.low - 1, gap);
      EXPECT_LT(2 * band.low, copies);
      EXPECT_GT(2 * band.high, copies);
      // As even as it can be.
      EXPECT_LE(std::abs(band.low + band.high - copies), 1);
    }
  }
}

TEST(PopScheduleTest, DeltaIsTheWorstPhaseAndNeverBelowTheAccountant) {
  PopSchedule schedule = OnePhase(PhaseEnd::kStandby);
  const auto one = PopScheduleDelta(schedule, 1);
  ASSERT_TRUE(one);
  const auto exact = ExactPopDelta(
      {.rate = 1.0 / 256, .gap = 80, .targets = 300, .stopper = 0.15}, 1);
  ASSERT_TRUE(exact);
  EXPECT_GE(*one, exact->delta);
  EXPECT_LT(*one, exact->delta + 1e-12);
  schedule.phases.push_back(schedule.phases[0]);
  schedule.phases[1].rate *= 1.1;
  const auto two = PopScheduleDelta(schedule, 1);
  ASSERT_TRUE(two);
  EXPECT_GT(*two, *one);
}

TEST(PopScheduleTest, AgnosticModePaysForThreeHiddenBits) {
  PopSchedule schedule = OnePhase();
  schedule.mistakes = 500;
  const auto delta = PopScheduleDelta(schedule, 1);
  const auto exact = ExactPopDelta({.rate = 1.0 / 256,
                                    .gap = 80,
                                    .targets = 300,
                                    .stopper = 0.15,
                                    .rounds_per_user = 3},
                                   1);
  ASSERT_TRUE(delta && exact);
  EXPECT_NEAR(*delta, exact->delta, 1e-12);
  EXPECT_GT(*delta, 10 * *PopScheduleDelta(OnePhase(), 1));
}

TEST(PopScheduleTest, ThePapersVariantPaysForTheMajoritiesItShows) {
  PopSchedule schedule = OnePhase();
  schedule.variant = PopVariant::kMajority;
  schedule.phases[0].copies = 256 * 4 * 8;  // a quarter is 8 noise scales
  const auto delta = PopScheduleDelta(schedule, 1);
  ASSERT_TRUE(delta);
  const double shown = (1 + std::exp(1.0)) * 300 * std::exp(-8.0);
  EXPECT_GT(*delta, shown);
  schedule.phases[0].copies *= 8;
  EXPECT_LT(*PopScheduleDelta(schedule, 1), 1e-6);
}

TEST(PopScheduleTest, AGuaranteeThatIsNotMetIsRefusedWithTheNumber) {
  const auto met = PopGuarantee(OnePhase(), {1, 1e-6}, 1);
  ASSERT_TRUE(met) << met.error().message;
  EXPECT_EQ(met->epsilon(), 1);
  // Computed from its parts, and not copied from the request.
  EXPECT_LE(met->delta(), 1e-6);
  EXPECT_EQ(met->delta(), *PopScheduleDelta(OnePhase(), 1));
  const auto refused = PopGuarantee(OnePhase(), {0.5, 1e-6}, 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBudgetExhausted);
  EXPECT_NE(refused.error().message.find("delta = "), std::string::npos);
}

TEST(PopScheduleTest, SeveralRoundsOfAUserFollowTheGroupRule) {
  const auto two = PopGuarantee(OnePhase(), {2, 0}, 2);
  ASSERT_TRUE(two);
  const auto each = PopScheduleDelta(OnePhase(), 1);
  ASSERT_TRUE(each);
  EXPECT_NEAR(two->delta(), ForGroup(ApproximateDp{1, *each}, 2).delta, 1e-12);
  EXPECT_EQ(two->rounds_per_user(), 2U);
  PopSchedule pinned = OnePhase();
  pinned.pin_users = true;
  const auto three = PopGuarantee(pinned, {1, 0}, 3);
  ASSERT_TRUE(three);
  const auto alone = ExactPopDelta({.rate = 1.0 / 256,
                                    .gap = 80,
                                    .targets = 300,
                                    .stopper = 0.15,
                                    .rounds_per_user = 3},
                                   1);
  ASSERT_TRUE(alone);
  EXPECT_NEAR(three->delta(), alone->delta, 1e-12);
}

TEST(PopScheduleTest, NonsenseIsNamed) {
  const auto refuse = [](auto&& change) {
    PopSchedule schedule = OnePhase(PhaseEnd::kStandby);
    change(schedule);
    return !Validate(schedule);
  };
  EXPECT_TRUE(refuse([](auto& s) { s.phases.clear(); }));
  EXPECT_TRUE(refuse([](auto& s) { s.phases[0].copies = 0; }));
  EXPECT_TRUE(refuse([](auto& s) { s.phases[0].rate = 0; }));
  EXPECT_TRUE(refuse([](auto& s) { s.phases[0].rate = std::nan(""); }));
  EXPECT_TRUE(refuse([](auto& s) { s.phases[0].gap = 0; }));
  EXPECT_TRUE(refuse([](auto& s) { s.phases[0].reports = 0; }));
  EXPECT_TRUE(refuse([](auto& s) { s.phases[0].active_share = 65'537; }));
  EXPECT_TRUE(refuse([](auto& s) { s.stopper = 0; }));
  EXPECT_TRUE(refuse([](auto& s) { s.mistakes = -1; }));
  EXPECT_TRUE(refuse([](auto& s) { s.tolerated = 65'537; }));
  EXPECT_TRUE(refuse([](auto& s) { s.phases[0].allowed = -1; }));
  EXPECT_TRUE(refuse([](auto& s) { s.pin_users = true; }));
  EXPECT_TRUE(refuse([](auto& s) { s.variant = PopVariant::kMajority; }));
  EXPECT_FALSE(refuse([](auto&) {}));
}

TEST(PopScheduleTest, ASavedScheduleComesBack) {
  PopSchedule schedule = BriskSchedule(PhaseEnd::kStandby);
  schedule.mistakes = 7;
  schedule.tolerated = 8;
  schedule.phases[1].allowed = 9;
  ByteWriter writer;
  Save(schedule, writer);
  ByteReader reader(writer.bytes());
  const auto loaded = LoadPopSchedule(reader);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(*loaded, schedule);
  EXPECT_TRUE(reader.Finish());
}

}  // namespace
}  // namespace sotto
