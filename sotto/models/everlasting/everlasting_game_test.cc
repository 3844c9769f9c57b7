// Whole everlasting predictors, solved exactly over all adaptive adversaries,
// against what the schedule claims of them; and broken variants that exceed the
// same claim.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/accounting/pop_accountant.h"
#include "sotto/models/everlasting/everlasting_schedule.h"
#include "sotto/testing/distributions/everlasting.h"
#include "sotto/testing/exact_game.h"

namespace sotto {
namespace {

using Distribution = EverlastingDistribution<double>;
using BrokenVariant = BrokenEverlastingVariant;

struct Setting {
  double e0;
  int low;
  int high;
  int teachers;
  double e_s;
  int limit;
  double epsilon;
  int rounds;
};

Distribution ComputeDistribution(const Setting& s) {
  Distribution distribution;
  distribution.round = {.theta = std::exp(-s.e0),
                        .low = s.low,
                        .high = s.high,
                        .copies = s.teachers,
                        .stopper_theta = std::exp(-s.e_s),
                        .limit = s.limit};
  // Half of the teachers say 1 at both points.
  for (int i = 0; 2 * i < s.teachers; ++i) distribution.start |= 3U << 2 * i;
  return distribution;
}

double Claim(const Setting& s, bool replace) {
  return EverlastingDelta({.teachers = s.teachers,
                           .rate = s.e0,
                           .gap = s.high - s.low - 1,
                           .reports = s.limit,
                           .rounds = static_cast<std::uint64_t>(s.rounds)},
                          static_cast<std::uint64_t>(s.rounds), s.e_s,
                          s.epsilon,
                          replace ? Relation::kReplace : Relation::kAddRemove);
}

double ComputeDelta(const Setting& s, const Distribution& distribution) {
  const auto delta = ExactGame(distribution, s.rounds)
                         .Delta(std::exp(s.epsilon), Direction::kPOverQ);
  EXPECT_TRUE(delta) << (delta ? "" : delta.error().message);
  return delta ? *delta : 2;
}

double GetError(const Setting& s) {
  return s.rounds * (1 + std::exp(s.epsilon)) * 0x1p-41;
}

// Small enough to be solved, and with claims below 1.
const std::vector<Setting>& Settings() {
  static const std::vector<Setting> kSettings = {
      {1, 0, 2, 2, 1, 1, 1.5, 6},    {0.5, 0, 2, 2, 2, 1, 2, 6},
      {0.5, 0, 4, 4, 1, 1, 1, 5},    {0.3, 0, 3, 3, 2, 2, 3, 5},
      {1.5, 0, 2, 2, 2, 2, 4, 6},    {0.2, 0, 3, 3, 1, 1, 1, 5},
      {0.8, -1, 3, 2, 0.5, 1, 1, 6}, {1, 0, 3, 3, 1, 2, 2, 5}};
  return kSettings;
}

double LargestShare(bool replace, int points, int clock, int shorter) {
  double largest = 0;
  for (Setting s : Settings()) {
    s.rounds -= shorter;
    Distribution distribution = ComputeDistribution(s);
    distribution.points = points;
    distribution.clock = clock;
    distribution.replace = replace;
    const double claim = Claim(s, replace);
    const double delta = ComputeDelta(s, distribution);
    EXPECT_LE(delta, claim + GetError(s))
        << "e0 " << s.e0 << " N " << s.teachers << " e_s " << s.e_s << " r "
        << s.limit << " epsilon " << s.epsilon;
    largest = std::max(largest, delta / claim);
  }
  return largest;
}

TEST(EverlastingGameExactTest,
     EveryRecordCostsAtMostWhatIsClaimedUnderReplacement) {
  const double share = LargestShare(true, 1, 0, 0);
  EXPECT_GT(share, 0.2) << "the game is too short to say anything";
}

TEST(EverlastingGameExactTest, AndWithTwoPointsAndPhasesThatEndByTheClock) {
  LargestShare(true, 2, 0, 2);
  LargestShare(true, 2, 2, 2);
  LargestShare(true, 1, 2, 1);
}

TEST(EverlastingGameExactTest, AnEmptyRoundInOneWorldCostsTheLargerOfTwo) {
  const double share = LargestShare(false, 1, 0, 0);
  EXPECT_GT(share, 0.2) << "the game is too short to say anything";
  LargestShare(false, 2, 2, 2);
}

// The tightest proved claim, which a broken variant must exceed.
double TightClaim(const Setting& s, bool replace) {
  const PopProcess process{.rate = s.e0,
                           .gap = s.high - s.low - 1,
                           .targets = s.limit,
                           .stopper = s.e_s};
  const auto exact =
      ExactPopDelta(process, replace ? s.epsilon : s.epsilon + s.e_s);
  EXPECT_TRUE(exact);
  return std::min(Claim(s, replace), replace ? exact->delta : exact->form_b);
}

// The sound distribution meets the claim, the broken variant does not.
void ExpectRefuted(const Setting& s, Distribution distribution,
                   BrokenVariant variant, bool replace) {
  distribution.replace = replace;
  const double claim = TightClaim(s, replace);
  EXPECT_LE(ComputeDelta(s, distribution), claim + GetError(s));
  distribution.variant = variant;
  EXPECT_GT(ComputeDelta(s, distribution) - GetError(s), claim);
}

// A first phase in which teachers agree and noise is small, so that queries are
// kept: what they cost is a matter of the phase after it.
Distribution AfterAClearPhase(const Setting& s, int rounds) {
  Distribution distribution = ComputeDistribution(s);
  distribution.first = distribution.round;
  distribution.first.theta = std::exp(-30.0);
  distribution.first.low = 0;
  distribution.first.high = 2;
  distribution.start = 0xff;
  distribution.first_clock = rounds;
  distribution.trains = false;
  return distribution;
}

TEST(EverlastingGameExactTest, ARowInTheChunksOfTwoTeachersIsRefuted) {
  const Setting s{1.3, 0, 4, 2, 4, 1, 11.8, 7};
  Distribution distribution = ComputeDistribution(s);
  distribution.start = 0;
  distribution.queries = false;
  ExpectRefuted(s, distribution, BrokenVariant::kTwoTeachers, true);
}

TEST(EverlastingGameExactTest, AnAnsweredQueryInTwoChunksIsRefuted) {
  const Setting s{1.3, 0, 4, 2, 4, 1, 11.8, 7};
  ExpectRefuted(s, AfterAClearPhase(s, 1), BrokenVariant::kTwoChunks, true);
}

TEST(EverlastingGameExactTest, ChunksChosenFromDataAreRefuted) {
  // Two rows of each point; a row before them moves all of them on.
  const Setting s{1.3, 0, 4, 2, 4, 1, 11.8, 11};
  Distribution distribution = AfterAClearPhase(s, 5);
  distribution.points = 2;
  distribution.groups = true;
  distribution.start = 1U | 1U << 2;
  distribution.script = {{.point = {1, Distribution::kAbsent}, .hidden = true},
                         {.point = {0, 0}},
                         {.point = {0, 0}},
                         {.point = {1, 1}, .slot = 1},
                         {.point = {1, 1}, .slot = 1}};
  ExpectRefuted(s, distribution, BrokenVariant::kChunkFromData, true);
}

TEST(EverlastingGameExactTest, AStopTestThatEmptyRoundsSkipIsRefuted) {
  const Setting s{0.2, 0, 2, 2, 1, 1, 3, 3};
  ExpectRefuted(s, ComputeDistribution(s), BrokenVariant::kNoCheckWhenEmpty,
                true);
  ExpectRefuted(s, ComputeDistribution(s), BrokenVariant::kNoCheckWhenEmpty,
                false);
}

TEST(EverlastingGameExactTest,
     AMediumQueryThatIsKeptCostsMoreThanTheLargerOfTwo) {
  const Setting s{0.5, -6, 8, 2, 3, 1, 3, 5};
  Distribution distribution = ComputeDistribution(s);
  distribution.trains = false;
  ExpectRefuted(s, distribution, BrokenVariant::kMediumKept, false);
}

TEST(EverlastingGameExactTest, QueriesKeptByWhatIsNotPaidForAreRefuted) {
  // Votes that differ, all of them outside the band: whether a query was kept
  // is read off the teachers after these, who are asked with little noise.
  const Setting s{2, 1, 9, 4, 5, 1, 3, 6};
  Distribution distribution = ComputeDistribution(s);
  distribution.replace = false;
  distribution.queries = false;
  distribution.groups = true;
  distribution.start = 0;
  distribution.first = distribution.round;
  distribution.first_clock = 4;
  distribution.phases = 2;
  distribution.round.theta = std::exp(-8.0);
  distribution.round.low = -1;
  distribution.round.high = 5;
  distribution.script = {
      {.point = {Distribution::kAbsent, 0}, .hidden = true, .trains = true}};
  for (int i = 0; i < 4; ++i) {
    distribution.script.push_back({.point = {0, 0}, .slot = i});
  }
  ExpectRefuted(s, distribution, BrokenVariant::kKeptIfSure, false);
}

}  // namespace
}  // namespace sotto
