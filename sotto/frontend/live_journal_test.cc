#include "sotto/frontend/live_journal.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "sotto/data/files/held_state.h"
#include "sotto/data/files/state_file.h"
#include "sotto/journal/journal.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

// A folder of the test's own with a state file in it.
class LiveJournalTest : public ::testing::Test {
 protected:
  LiveJournalTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~LiveJournalTest() override { fs::remove_all(folder_); }

  std::unique_ptr<LiveJournal> Create(bool replace = false) const {
    auto files = LiveJournal::Create(path_, replace);
    return files ? *std::move(files) : nullptr;
  }
  Result<std::unique_ptr<LiveJournal>> Open() const {
    const auto file = ReadStateFile(path_, kJournalState, kJournalStateVersion);
    if (!file) return file.error();
    return LiveJournal::Open(path_, *file);
  }
  static void Append(Journal& journal, const std::string& line) {
    const RecordView record{RecordType::kRound, line};
    EXPECT_TRUE(journal.Append({&record, 1}).durable());
  }
  // A run that was killed after two lines, and the state file that names its
  // journal.
  void LeaveRun() const {
    auto files = Create();
    ASSERT_NE(files, nullptr);
    auto held = HeldState::Create(path_, false);
    ASSERT_TRUE(held);
    const auto journal = files->TakeJournal();
    ASSERT_TRUE(files->NameIn(*held, "first", journal->position()));
    ASSERT_TRUE(journal->Claim("").durable());
    Append(*journal, "a");
    Append(*journal, "b");
  }
  static SavedState Last() { return {"session", 2, "last"}; }

  const std::string folder_ =
      ::testing::TempDir() + "live_journal_" +
      ::testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string path_ = folder_ + "/s";
  const std::string journal_ = path_ + ".journal";
};

TEST_F(LiveJournalTest, ARunThatWasKilledIsOpenedWithItsFirstState) {
  LeaveRun();
  const auto files = Open();
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ((*files)->state(), "first");
  EXPECT_EQ((*files)->after(), 0U);
  EXPECT_EQ((*files)->TakeJournal()->position().tail, 3U);
}

TEST_F(LiveJournalTest, TheNewestSnapshotIsTheState) {
  LeaveRun();
  {
    const auto files = Open();
    ASSERT_TRUE(files);
    auto held = HeldState::Load(path_);
    ASSERT_TRUE(held);
    const auto journal = (*files)->TakeJournal();
    ASSERT_TRUE(journal->Claim("").durable());
    ASSERT_TRUE(journal->WriteSnapshot("second"));
    ASSERT_TRUE(journal->Prune());
    ASSERT_TRUE((*files)->NameIn(*held, "", journal->position()));
    Append(*journal, "c");
  }
  const auto files = Open();
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ((*files)->state(), "second");
  EXPECT_EQ((*files)->after(), 4U);
}

TEST_F(LiveJournalTest, AnOrderlyEndLeavesAnOrdinaryStateAlone) {
  LeaveRun();
  auto files = Open();
  ASSERT_TRUE(files);
  auto held = HeldState::Load(path_);
  ASSERT_TRUE(held);
  (*files)->TakeJournal();
  ASSERT_TRUE((*files)->Close(*held, Last()));
  EXPECT_FALSE(fs::exists(journal_));
  EXPECT_TRUE(ReadStateFile(path_, "session", 2));
}

TEST_F(LiveJournalTest, AFolderThatCannotBeRemovedIsMarkedAndNotInTheWay) {
  LeaveRun();
  auto files = Open();
  ASSERT_TRUE(files);
  auto held = HeldState::Load(path_);
  ASSERT_TRUE(held);
  (*files)->TakeJournal();
  fs::create_directory(journal_ + "/folder");
  ASSERT_TRUE((*files)->Close(*held, Last()));
  EXPECT_TRUE(ReadStateFile(path_, "session", 2));
  EXPECT_TRUE(fs::exists(journal_ + "/closed"));
  fs::remove(journal_ + "/folder");
  EXPECT_NE(Create(), nullptr);
}

TEST_F(LiveJournalTest, ACrashWhileARunBeginsOrEndsLeavesNothingInTheWay) {
  fs::create_directory(journal_);  // before its first file
  EXPECT_NE(Create(), nullptr);
  EXPECT_NE(Create(), nullptr);  // a journal without records
  fs::remove_all(journal_);
  LeaveRun();
  std::ofstream(journal_ + "/closed").close();
  // Before the last state: the journal counts, and the mark goes.
  EXPECT_TRUE(Open());
  EXPECT_FALSE(fs::exists(journal_ + "/closed"));
  // After it: the rest of the folder is removed.
  std::ofstream(journal_ + "/closed").close();
  fs::remove(path_);
  EXPECT_NE(Create(), nullptr);
}

TEST_F(LiveJournalTest, AJournalOfAnotherRunStaysUnlessItMayBeReplaced) {
  LeaveRun();
  fs::remove(path_);
  const auto refused = LiveJournal::Create(path_, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(refused.error().message.find("--replace"), std::string::npos);
  EXPECT_NE(Create(/*replace=*/true), nullptr);
}

TEST_F(LiveJournalTest, AJournalInUseIsRefused) {
  LeaveRun();
  const auto files = Open();
  ASSERT_TRUE(files);
  EXPECT_FALSE(Open());
  EXPECT_FALSE(LiveJournal::Create(path_, /*replace=*/true));
}

TEST_F(LiveJournalTest, AJournalThatIsMissingOldOrAnothersIsRefused) {
  LeaveRun();
  const std::string old = folder_ + "/old";
  fs::copy(journal_, old, fs::copy_options::recursive);
  {
    const auto files = Open();
    ASSERT_TRUE(files);
    auto held = HeldState::Load(path_);
    ASSERT_TRUE(held);
    const auto journal = (*files)->TakeJournal();
    ASSERT_TRUE(journal->Claim("").durable());
    ASSERT_TRUE((*files)->NameIn(*held, "first", journal->position()));
  }
  fs::remove_all(journal_);
  EXPECT_FALSE(Open());
  fs::copy(old, journal_, fs::copy_options::recursive);
  EXPECT_FALSE(Open());  // the position in the state is not in it
  fs::remove_all(journal_);
  fs::copy_file(path_, folder_ + "/kept");
  fs::remove(path_);
  LeaveRun();
  fs::copy_file(folder_ + "/kept", path_, fs::copy_options::overwrite_existing);
  EXPECT_FALSE(Open());  // of another run
}

}  // namespace
}  // namespace sotto
