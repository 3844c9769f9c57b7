#include "sotto/data/files/state_keeper.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "sotto/testing/faulty_file_system.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A run whose state is the number of answers so far.
class StateKeeperTest : public ::testing::Test {
 protected:
  StateKeeper Keeper(std::uint64_t every) {
    auto held = HeldState::Create(folder_.path("s"), false, files_);
    EXPECT_TRUE(held);
    held_ = std::make_unique<HeldState>(*std::move(held));
    return StateKeeper(
        {.held = held_.get(),
         .every = every,
         .state =
             [this] {
               now_ += cost_;
               return SavedState{"k", 1, std::to_string(answers_)};
             },
         .release = [this]() -> Status {
           if (full_) return Error{ErrorCode::kUnavailable, ""};
           released_ = answers_;
           known_at_release_ = Saved();
           noted_at_release_ = Out();
           return Ok();
         },
         .now = [this] { return now_; }});
  }
  Status Answer(StateKeeper& keeper) {
    ++answers_;
    return keeper.Answered(1);
  }
  int Saved() const {
    const auto state = ReadStateFile(folder_.path("s"), "k", 1);
    return state ? std::stoi(state->payload) : -1;
  }

  // Answers that may be out and that the state does not cover; -1: the run has
  // ended.
  int Out() const {
    const auto state = ReadStateFile(folder_.path("s"), "k", 1);
    if (!state || !state->mark || !state->mark->given) return -1;
    return static_cast<int>(*state->mark->given);
  }

  testing::ScratchFolder folder_;
  testing::FaultyFileSystem files_;
  std::unique_ptr<HeldState> held_;
  StateKeeper::Clock::time_point now_{};
  StateKeeper::Clock::duration cost_{};
  int answers_ = 0;
  int released_ = 0;
  int known_at_release_ = -1;
  int noted_at_release_ = -1;
  bool full_ = false;
};

TEST_F(StateKeeperTest, TheStateIsOnDiskBeforeTheFirstAnswer) {
  auto keeper = Keeper(10);
  ASSERT_TRUE(keeper.Begin());
  EXPECT_EQ(Saved(), 0);
  EXPECT_EQ(released_, 0);
}

TEST_F(StateKeeperTest, AtEveryMomentTheStateIsAtMostThatManyAnswersOld) {
  auto keeper = Keeper(7);
  ASSERT_TRUE(keeper.Begin());
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(Answer(keeper));
    EXPECT_GT(Saved(), answers_ - 7);
    EXPECT_LE(Saved(), released_);  // and never ahead of the answers
  }
  EXPECT_EQ(keeper.saved(), 49U);
  ASSERT_TRUE(keeper.End());
  EXPECT_EQ(Saved(), 50);
  EXPECT_EQ(keeper.saved(), 50U);
  EXPECT_EQ(released_, 50);
}

TEST_F(StateKeeperTest, WithOneNoAnswerIsOutThatTheStateDoesNotKnow) {
  auto keeper = Keeper(1);
  ASSERT_TRUE(keeper.Begin());
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(Answer(keeper));
    EXPECT_EQ(released_, answers_);
    EXPECT_EQ(known_at_release_, released_);
  }
}

TEST_F(StateKeeperTest, WithOneAnAnswerWhoseStateCannotBeSavedStaysIn) {
  auto keeper = Keeper(1);
  ASSERT_TRUE(keeper.Begin());
  files_.FailAt(2, "No space left on device");
  EXPECT_FALSE(Answer(keeper));
  EXPECT_EQ(released_, 0);
}

TEST_F(StateKeeperTest, ByTheClockItSavesOnceASecond) {
  auto keeper = Keeper(0);
  ASSERT_TRUE(keeper.Begin());
  answers_ = 300;
  now_ += milliseconds(999);
  ASSERT_TRUE(keeper.Answered(300));
  EXPECT_EQ(Saved(), 0);
  answers_ = 600;
  now_ += milliseconds(1);
  ASSERT_TRUE(keeper.Answered(300));
  EXPECT_EQ(Saved(), 600);
}

TEST_F(StateKeeperTest, ByTheClockADearStateTakesATwentiethOfTheTime) {
  cost_ = seconds(2);
  auto keeper = Keeper(0);
  ASSERT_TRUE(keeper.Begin());
  now_ += seconds(39);
  answers_ = 300;
  ASSERT_TRUE(keeper.Answered(300));
  EXPECT_EQ(Saved(), 0);
  now_ += seconds(1);
  ASSERT_TRUE(keeper.Answered(300));
  EXPECT_EQ(Saved(), 300);
}

TEST_F(StateKeeperTest, APauseReleasesAndALongOneSaves) {
  auto keeper = Keeper(0);
  ASSERT_TRUE(keeper.Begin());
  now_ += milliseconds(400);
  ASSERT_TRUE(Answer(keeper));
  int asked = 0;
  const auto more = [&asked](int time) { return asked = time, false; };
  ASSERT_TRUE(keeper.Pause(more));
  EXPECT_EQ(released_, 1);
  EXPECT_EQ(asked, 600);  // of the second
  EXPECT_EQ(Saved(), 0);
  ASSERT_TRUE(keeper.Pause([](int) { return true; }));
  EXPECT_EQ(Saved(), 1);
}

TEST_F(StateKeeperTest, NoStateCoversAnAnswerThatCouldNotBeGiven) {
  auto keeper = Keeper(2);
  ASSERT_TRUE(keeper.Begin());
  ASSERT_TRUE(Answer(keeper));
  full_ = true;
  EXPECT_FALSE(Answer(keeper));
  EXPECT_TRUE(keeper.End());
  EXPECT_EQ(Saved(), 0);
  EXPECT_TRUE(keeper.Save());  // unless it is asked for
  EXPECT_EQ(Saved(), 2);
}

TEST_F(StateKeeperTest, TheMarkCountsEveryAnswerThatTheStateDoesNotCover) {
  auto keeper = Keeper(5);
  ASSERT_TRUE(keeper.Begin());
  EXPECT_EQ(Out(), 0);
  const auto waits = [](int) { return true; };
  for (int i = 0; i < 23; ++i) {
    ASSERT_TRUE(Answer(keeper));
    ASSERT_TRUE(keeper.Pause(waits));
    EXPECT_EQ(Saved() + Out(), released_) << i;
    EXPECT_EQ(known_at_release_ + noted_at_release_, released_) << i;
  }
  ASSERT_TRUE(keeper.Expect(4));
  EXPECT_EQ(Saved() + Out(), released_ + 4);
  ASSERT_TRUE(keeper.End());
  EXPECT_EQ(Saved(), 23);
  EXPECT_EQ(Out(), -1);
}

TEST_F(StateKeeperTest, WithOneTheMarkSaysThatNoAnswerIsOut) {
  auto keeper = Keeper(1);
  ASSERT_TRUE(keeper.Begin());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(keeper.Expect(1));
    ASSERT_TRUE(Answer(keeper));
    EXPECT_EQ(noted_at_release_, 0);
  }
  ASSERT_TRUE(keeper.End());
  EXPECT_EQ(Out(), -1);
}

TEST_F(StateKeeperTest, ARunThatEndsWithAnswersItDoesNotCoverKeepsItsMark) {
  auto keeper = Keeper(9);
  ASSERT_TRUE(keeper.Begin());
  ASSERT_TRUE(Answer(keeper));
  full_ = true;
  EXPECT_FALSE(keeper.End());
  EXPECT_EQ(Out(), 1);
  EXPECT_TRUE(keeper.Save());  // covers them
  EXPECT_EQ(Out(), -1);
}

TEST_F(StateKeeperTest, AnAnswerThatCannotBeNotedStaysIn) {
  auto keeper = Keeper(9);
  ASSERT_TRUE(keeper.Begin());
  ASSERT_TRUE(Answer(keeper));
  files_.FailAt(0, "Input/output error");
  EXPECT_FALSE(keeper.Pause([](int) { return true; }));
  EXPECT_EQ(released_, 0);
}

TEST_F(StateKeeperTest, TellsHowManyMayBeAnsweredBeforeAStateIsDue) {
  auto keeper = Keeper(5);
  ASSERT_TRUE(keeper.Begin());
  EXPECT_EQ(keeper.MostAtOnce(), 5U);
  ASSERT_TRUE(Answer(keeper));
  ASSERT_TRUE(Answer(keeper));
  EXPECT_EQ(keeper.MostAtOnce(), 3U);
}

TEST_F(StateKeeperTest, WithoutAPathNothingIsKept) {
  StateKeeper keeper({.held = nullptr, .state = [] { return SavedState{}; }});
  EXPECT_TRUE(keeper.Begin());
  EXPECT_TRUE(keeper.Answered(10));
  EXPECT_TRUE(keeper.Pause([](int) { return true; }));
  EXPECT_TRUE(keeper.End());
  EXPECT_EQ(folder_.files(), 0);
}

}  // namespace
}  // namespace sotto
