#include "sotto/online/pending_rounds.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace sotto {
namespace {

constexpr std::uint64_t kDelay = 2;

std::string SaveState(const PendingRounds& waiting) {
  ByteWriter writer;
  waiting.Save(writer);
  return std::string(writer.bytes());
}

// Round 0 is wrong and its label comes after `rounds` rounds. Returns the
// round at which it counts, or 0.
int CountsAt(int rounds, std::uint64_t change_then) {
  PendingRounds waiting(kDelay);
  waiting.PlayEmptyRound(0);
  const auto round = waiting.Open(0, 5, false);
  int counts = 0;
  for (int t = 1; t < 10; ++t) {
    if (t - 1 == rounds) waiting.Close(round, true);
    const auto due = waiting.PlayEmptyRound(t > 1 ? change_then : 0);
    if (!due.counts) continue;
    EXPECT_EQ(counts, 0) << "a round counts once";
    EXPECT_EQ(due.point, 5U);
    EXPECT_FALSE(due.prediction);
    counts = t;
  }
  return counts;
}

TEST(WaitingRoundsTest, AMistakeCountsAtATimeThatItsLabelDoesNotChange) {
  for (int rounds = 0; rounds <= 2; ++rounds) EXPECT_EQ(CountsAt(rounds, 0), 3);
  for (int rounds = 3; rounds <= 6; ++rounds) EXPECT_EQ(CountsAt(rounds, 0), 0);
}

TEST(WaitingRoundsTest, AMistakeOfAnOlderHypothesisDoesNotCount) {
  for (int rounds = 0; rounds <= 2; ++rounds) EXPECT_EQ(CountsAt(rounds, 1), 0);
}

TEST(WaitingRoundsTest, ALateLabelTouchesNoOtherRound) {
  PendingRounds waiting(kDelay);
  waiting.PlayEmptyRound(0);
  const auto late = waiting.Open(0, 5, false);
  for (int t = 1; t <= 3; ++t) {  // the last is in the place of the first
    waiting.PlayEmptyRound(0);
    waiting.Open(0, 6, false);
  }
  const std::string before = SaveState(waiting);
  waiting.Close(late, true);
  EXPECT_EQ(SaveState(waiting), before);
}

TEST(WaitingRoundsTest, RoundsOutsideTheClassAreEmptyOnes) {
  PendingRounds one(kDelay);
  PendingRounds other(kDelay);
  one.PlayEmptyRound(0);
  other.PlayEmptyRound(0);
  one.Close(one.OpenOutside(), true);
  EXPECT_EQ(SaveState(one), SaveState(other));
}

// Rounds that differ in anything have states that differ, and a loaded state is
// written again.
TEST(WaitingRoundsTest, EveryFieldOfAStateIsKept) {
  std::set<std::string> states;
  for (const std::uint64_t change : {7, 8}) {
    for (const std::uint32_t point : {1, 2}) {
      for (const bool prediction : {false, true}) {
        for (const bool y : {false, true}) {
          PendingRounds waiting(kDelay);
          waiting.PlayEmptyRound(change);
          waiting.Close(waiting.Open(change, point, prediction), y);
          const std::string state = SaveState(waiting);
          EXPECT_TRUE(states.insert(state).second);
          PendingRounds loaded(kDelay);
          ByteReader reader(state);
          EXPECT_TRUE(loaded.Load(reader, 3));
          EXPECT_EQ(SaveState(loaded), state);
        }
      }
    }
  }
}

TEST(WaitingRoundsTest, StatesOfOtherPointsMakeNoSense) {
  PendingRounds waiting(kDelay);
  waiting.PlayEmptyRound(0);
  waiting.Open(0, 5, true);
  const std::string state = SaveState(waiting);
  for (const auto& [points, good] : {std::pair(6, true), std::pair(5, false)}) {
    PendingRounds loaded(kDelay);
    ByteReader reader(state);
    EXPECT_EQ(loaded.Load(reader, static_cast<std::size_t>(points)), good);
    EXPECT_EQ(SaveState(loaded) == state, good);
  }
}

}  // namespace
}  // namespace sotto
