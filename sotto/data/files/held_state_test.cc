#include "sotto/data/files/held_state.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "sotto/testing/faulty_file_system.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto {
namespace {

// flock() tells two openings of a file apart, also within one process.
class HeldStateTest : public ::testing::TestWithParam<bool> {
 protected:
  Result<HeldState> Create(bool replace = false) {
    return HeldState::Create(path_, replace, files_);
  }
  std::string Payload() const {
    const auto state = ReadStateFile(path_, "k", 1);
    return state ? state->payload : state.error().message;
  }
  bool Marked() const {
    const auto state = ReadStateFile(path_, "k", 1);
    return state && state->mark.has_value();
  }

  FileSystem& files_ = GetParam() ? RealFiles() : FilesWithNamedDrafts();
  testing::ScratchFolder folder_;
  std::string path_ = folder_.path("s");
};
INSTANTIATE_TEST_SUITE_P(Drafts, HeldStateTest, ::testing::Bool());

TEST_P(HeldStateTest, OnlyOneUsesAState) {
  auto first = Create();
  ASSERT_TRUE(first);
  ASSERT_TRUE(first->Write({"k", 1, "a"}, 0));
  for (int i = 0; i < 3; ++i) {
    const auto second = HeldState::Load(path_, files_);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kFailedPrecondition);
    EXPECT_NE(second.error().message.find("in use"), std::string::npos);
    EXPECT_FALSE(Create(/*replace=*/true));
    ASSERT_TRUE(first->Write({"k", 1, "b"}, 0));  // the lock goes along
  }
  { const HeldState gone = *std::move(first); }
  EXPECT_TRUE(HeldState::Load(path_, files_));
  EXPECT_EQ(folder_.files(), 1);
}

TEST_P(HeldStateTest, AFileThatWasNotLoadedIsReplacedOnlyIfAskedTo) {
  folder_.Write("s", "somebody's");
  const auto refused = Create();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("--replace"), std::string::npos);
  EXPECT_EQ(folder_.Read("s"), "somebody's");
  auto replaced = Create(/*replace=*/true);
  ASSERT_TRUE(replaced);
  ASSERT_TRUE(replaced->Write({"k", 1, "new"}, 0));
  EXPECT_EQ(Payload(), "new");
}

TEST_P(HeldStateTest, OfTwoThatStartAtOnceOneFails) {
  auto first = Create();
  auto second = Create();
  ASSERT_TRUE(first && second);
  ASSERT_TRUE(first->Write({"k", 1, "first"}, 0));
  EXPECT_FALSE(second->Write({"k", 1, "second"}, 0));
  EXPECT_EQ(Payload(), "first");
  ASSERT_TRUE(first->Write({"k", 1, "again"}, 0));
  EXPECT_EQ(folder_.files(), 1);
}

TEST_P(HeldStateTest, AStateThatWasReplacedMeanwhileIsNotOverwritten) {
  auto held = Create();
  ASSERT_TRUE(held);
  ASSERT_TRUE(held->Write({"k", 1, "own"}, 0));
  ASSERT_TRUE(WriteStateFile(path_, {"k", 1, "another"}));
  EXPECT_FALSE(held->Write({"k", 1, "own"}, 0));
  EXPECT_EQ(Payload(), "another");
}

TEST_P(HeldStateTest, AStateThatWasRemovedIsWrittenAgain) {
  auto held = Create();
  ASSERT_TRUE(held);
  ASSERT_TRUE(held->Write({"k", 1, "a"}, 0));
  std::filesystem::remove(path_);
  ASSERT_TRUE(held->Write({"k", 1, "b"}, 0));
  EXPECT_EQ(Payload(), "b");
  EXPECT_FALSE(HeldState::Load(path_, files_));
}

TEST_P(HeldStateTest, TheMarkComesWithTheFirstStateAndGoesWithTheLast) {
  auto held = Create();
  ASSERT_TRUE(held);
  ASSERT_TRUE(held->Write({"k", 1, "a"}, 7));
  ASSERT_TRUE(held->NoteGiven(3));
  const auto state = ReadStateFile(path_, "k", 1);
  ASSERT_TRUE(state && state->mark);
  EXPECT_EQ(state->payload, "a");
  EXPECT_EQ(state->mark->every, 7U);
  EXPECT_EQ(state->mark->given, 3U);
  ASSERT_TRUE(held->Close());
  EXPECT_FALSE(Marked());
  ASSERT_TRUE(held->Close());
  ASSERT_TRUE(held->Write({"k", 1, "b"}, 7));
  EXPECT_TRUE(Marked());
  ASSERT_TRUE(held->WriteLast({"k", 1, "c"}));
  EXPECT_FALSE(Marked());
  ASSERT_TRUE(WriteStateFile(folder_.path("plain"), {"k", 1, "c"}));
  EXPECT_EQ(folder_.Read("s"), folder_.Read("plain"));
}

TEST_P(HeldStateTest, ADamagedMarkSaysThatTheNumberIsUnknown) {
  auto held = Create();
  ASSERT_TRUE(held);
  ASSERT_TRUE(held->Write({"k", 1, "payload"}, 7));
  const std::string good = folder_.Read("s");
  const std::size_t mark = good.size() - StateMark(7, 0).size();
  for (std::size_t i = mark; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 4);
    folder_.Write("s", bad);
    const auto state = ReadStateFile(path_, "k", 1);
    EXPECT_TRUE(!state || (state->mark && !state->mark->given)) << i;
  }
  for (std::size_t size = mark + 1; size < good.size(); ++size) {
    folder_.Write("s", good.substr(0, size));
    EXPECT_FALSE(ReadStateFile(path_, "k", 1)) << size;
  }
}

TEST_P(HeldStateTest, AFaultAtAnyStepLeavesAWholeStateAndTheLock) {
  testing::FaultyFileSystem files(files_);
  auto held = HeldState::Create(path_, false, files);
  ASSERT_TRUE(held);
  ASSERT_TRUE(held->Write({"k", 1, "old"}, 0));
  for (std::size_t step = 0; step < 12; ++step) {
    files.FailAt(step, "No space left on device");
    const Status written = held->Write({"k", 1, "new"}, 0);
    EXPECT_EQ(folder_.files(), 1);
    EXPECT_TRUE(Payload() == "old" || Payload() == "new");
    EXPECT_FALSE(HeldState::Load(path_, files_)) << step;
    if (written) break;
  }
}

TEST_P(HeldStateTest, DraftsOfProcessesThatAreNoMoreAreRemoved) {
  folder_.Write(".s.draft-0123456789abcdef", "half a state with a key");
  auto held = HeldState::Create(path_, false, files_);
  ASSERT_TRUE(held);
  ASSERT_TRUE(held->Write({"k", 1, "a"}, 0));
  EXPECT_EQ(folder_.files(), 1);
}

}  // namespace
}  // namespace sotto
