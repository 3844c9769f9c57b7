#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sotto/journal/file_journal.h"
#include "sotto/journal/journal_test_tools.h"
#include "sotto/testing/faulty_file_system.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::testing {
namespace {

using Texts = std::vector<std::string>;

constexpr std::uint64_t kSmallSegments = 600;

// Records a journal must hold after a fault.
struct Expected {
  bool created = false;
  std::vector<Position> durable;
  std::optional<Position> unknown;
  std::optional<Position> failed;
  Texts texts;  // durable ones
};

// Appends, with segments that end and a snapshot, until something fails.
void Play(Journal& journal, Expected& expected) {
  const auto take = [&](const AppendResult& result, const Texts& texts) {
    if (result.outcome == Durability::kUnknown) {
      expected.unknown = result.intended;
    }
    if (!result.durable()) return false;
    expected.durable.push_back(result.intended);
    expected.texts.insert(expected.texts.end(), texts.begin(), texts.end());
    return true;
  };
  if (!take(journal.Claim("test"), {})) return;
  for (int i = 0; i < 6; ++i) {
    const Texts texts(
        1 + static_cast<std::size_t>(i) % 3,
        std::to_string(expected.texts.size()) + std::string(100, '.'));
    if (!take(AppendTexts(journal, texts), texts)) return;
    if (i == 3 && !journal.WriteSnapshot("state")) continue;
    if (i == 4) static_cast<void>(journal.Prune());
  }
}

void Check(const JournalFolder& folder, const Expected& expected,
           const std::string& what) {
  auto journal = folder.Open();
  if (!journal && !expected.created) journal = folder.Create();
  ASSERT_TRUE(journal) << what << ": " << journal.error().message;
  for (const Position& position : expected.durable) {
    ASSERT_TRUE(*(*journal)->Contains(position)) << what;
  }
  const Position end = (*journal)->position();
  const std::uint64_t durable =
      expected.durable.empty() ? 0 : expected.durable.back().tail;
  if (end.tail != durable) {
    ASSERT_TRUE(expected.unknown) << what;
    ASSERT_EQ(end, *expected.unknown) << what;
  }
  const auto texts = ReadTexts(**journal, (*journal)->first() - 1);
  ASSERT_TRUE(texts) << what << ": " << texts.error().message;
  ASSERT_TRUE((*journal)->ReadSnapshot()) << what;
  // It can be continued.
  ASSERT_TRUE((*journal)->Claim("again").durable()) << what;
}

// Unsynced bytes that the disk loses: none, all, or some at random.
enum class Loss { kNone, kAll, kSome };

void Lose(FaultyFileSystem& files, Loss loss, Rng& rng) {
  if (loss == Loss::kNone) return;
  files.LoseUnsynced([&] { return loss == Loss::kAll || rng.Next() % 2 == 0; });
}

// Returns false once the fault comes after the last call.
bool PlayWithFault(std::size_t call, bool anchored, std::size_t write_at_most,
                   Loss loss, Rng& rng) {
  JournalFolder folder(anchored, kSmallSegments);
  FaultyFileSystem& files = folder.files();
  files.WriteAtMost(write_at_most);
  files.FailAt(call, "Input/output error");
  Expected expected;
  {
    const auto journal = folder.Create();
    expected.created = journal.has_value();
    if (journal) Play(**journal, expected);
  }
  const bool reached = files.steps().size() > call;
  const std::string what = "call " + std::to_string(call) + " (" +
                           (reached ? files.steps()[call] : "none") + "), " +
                           std::to_string(write_at_most) + " bytes, loss " +
                           std::to_string(static_cast<int>(loss));
  files.FailNoMore();
  Lose(files, loss, rng);
  Check(folder, expected, what);
  return reached && !::testing::Test::HasFatalFailure();
}

class JournalFaultTest : public ::testing::TestWithParam<bool> {};

TEST_P(JournalFaultTest, AFailureOfAnyCallLosesNothingDurable) {
  SeededRng rng(5);
  for (const Loss loss : {Loss::kNone, Loss::kAll, Loss::kSome, Loss::kSome}) {
    for (const std::size_t bytes : {std::string::npos, std::size_t{61}}) {
      std::size_t call = 0;
      while (PlayWithFault(call, GetParam(), bytes, loss, rng)) ++call;
      ASSERT_FALSE(HasFatalFailure());
      EXPECT_GT(call, 60u);
    }
  }
}

// A crash in the middle of a block, then a failure of any call of recovery,
// then another loss.
TEST_P(JournalFaultTest, AFailureWhileRecoveringLosesNothingDurable) {
  SeededRng rng(6);
  for (int crash = 0; crash < 12; ++crash) {
    for (std::size_t call = 0;; ++call) {
      JournalFolder folder(GetParam(), 4000);
      FaultyFileSystem& files = folder.files();
      Expected expected;
      {
        const auto journal = folder.Create();
        expected.created = journal.has_value();
        Play(**journal, expected);
        files.FailEvery("sync data", "Input/output error");
        const auto result =
            AppendTexts(**journal, Texts(10, std::string(120, 'u')));
        ASSERT_EQ(result.outcome, Durability::kUnknown);
        expected.unknown = result.intended;
        files.FailNoMore();
      }
      Lose(files, Loss::kSome, rng);
      const std::size_t before = files.steps().size();
      files.WriteAtMost(crash % 2 == 0 ? std::string::npos : 61);
      files.FailAt(call, "Input/output error");
      const bool opened = folder.Open().has_value();
      const bool reached = files.steps().size() - before > call;
      files.FailNoMore();
      Lose(files, crash % 3 == 0 ? Loss::kNone : Loss::kSome, rng);
      Check(
          folder, expected,
          "crash " + std::to_string(crash) + ", call " + std::to_string(call));
      ASSERT_FALSE(HasFatalFailure());
      if (!reached && opened) break;
    }
  }
}

// After a failed sync the bytes may be in memory only: opening again must bring
// them to the disk before anybody sees them.
TEST_P(JournalFaultTest, BytesOfAFailedSyncAreWrittenAgain) {
  JournalFolder folder(GetParam(), 4000);
  FaultyFileSystem& files = folder.files();
  Expected expected;
  {
    const auto journal = folder.Create();
    Play(**journal, expected);
    files.FailEvery("sync data", "Input/output error");
    EXPECT_EQ(AppendTexts(**journal, {"u"}).outcome, Durability::kUnknown);
    EXPECT_EQ(AppendTexts(**journal, {"v"}).outcome, Durability::kFailed);
    files.FailNoMore();
  }
  Position seen;
  {
    const auto journal = folder.Open();
    ASSERT_TRUE(journal);
    seen = (*journal)->position();
    EXPECT_GT(seen.tail, expected.durable.back().tail);
  }
  files.LoseUnsynced([] { return true; });
  const auto journal = folder.Open();
  ASSERT_TRUE(journal) << journal.error().message;
  EXPECT_EQ((*journal)->position(), seen);
}

TEST_P(JournalFaultTest, AFailedSyncIsNotRetried) {
  JournalFolder folder(GetParam(), 1 << 16);
  FaultyFileSystem& files = folder.files();
  const auto journal = folder.Create();
  ASSERT_TRUE((*journal)->Claim("x").durable());
  files.FailEvery("sync data", "Input/output error");
  const std::size_t before = files.steps().size();
  EXPECT_EQ(AppendTexts(**journal, {"a"}).outcome, Durability::kUnknown);
  EXPECT_EQ(files.steps().size() - before, GetParam() ? 4u : 2u);
  files.FailNoMore();
  EXPECT_EQ(AppendTexts(**journal, {"b"}).outcome, Durability::kFailed);
  EXPECT_EQ(files.steps().size() - before, GetParam() ? 4u : 2u);
}

TEST_P(JournalFaultTest, AFullDiskEndsTheJournalAndLosesNothing) {
  JournalFolder folder(GetParam(), kSmallSegments);
  FaultyFileSystem& files = folder.files();
  Position durable;
  {
    const auto journal = folder.Create();
    ASSERT_TRUE((*journal)->Claim("x").durable());
    files.FailEvery("preallocate", "No space left on device");
    AppendResult result;
    while ((result = AppendTexts(**journal, {"0123456789"})).durable()) {
      durable = result.intended;
    }
    EXPECT_EQ(result.outcome, Durability::kFailed);
    EXPECT_EQ(result.why, "No space left on device");
  }
  files.FailNoMore();
  const auto journal = folder.Open();
  ASSERT_TRUE(journal);
  EXPECT_EQ((*journal)->position(), durable);
}

// The calls of appends that fill a segment and begin the next, one of which
// may fail.
struct Filled {
  std::vector<std::string> calls;
  bool durable = true;
};

Filled FillASegment(std::optional<std::size_t> failing) {
  JournalFolder folder(false, kSmallSegments);
  FaultyFileSystem& files = folder.files();
  Texts texts;
  Filled filled;
  {
    const auto journal = folder.Create();
    EXPECT_TRUE((*journal)->Claim("x").durable());
    const auto begin = static_cast<std::ptrdiff_t>(files.steps().size());
    if (failing) files.FailAt(*failing, "Input/output error");
    for (int i = 0; i < 5 && filled.durable; ++i) {
      filled.durable = AppendTexts(**journal, {std::string(20, 'x')}).durable();
      if (filled.durable) texts.emplace_back(20, 'x');
    }
    filled.calls.assign(files.steps().begin() + begin, files.steps().end());
  }
  files.FailNoMore();
  files.LoseUnsynced([] { return true; });
  const auto journal = folder.Open();
  EXPECT_TRUE(journal) << journal.error().message;
  EXPECT_TRUE(!filled.durable || *ReadTexts(**journal) == texts);
  return filled;
}

// The file of a segment is prepared while the one before it fills. If that
// fails, or its header cannot be synced, the segment gets another file.
TEST(JournalNextSegmentTest, OnlyFailuresOfCommitsAndNamesFailAnAppend) {
  const auto calls = FillASegment(std::nullopt).calls;
  EXPECT_EQ(std::ranges::count(calls, "publish"), 1);
  std::set<std::string> harmless;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::string& call = calls[i];
    const bool of_block = call == "write at" && i + 1 < calls.size() &&
                          calls[i + 1] == "sync data";
    const bool needed = of_block || call == "sync data" || call == "publish" ||
                        call == "sync folder";
    EXPECT_EQ(FillASegment(i).durable, !needed) << i << ": " << call;
    if (!needed) harmless.insert(call);
  }
  EXPECT_EQ(harmless, (std::set<std::string>{"create", "preallocate", "sync",
                                             "write at"}));
}

TEST(JournalNextSegmentTest, ADiskThatWasFullForAWhileIsNoHarm) {
  JournalFolder folder(false, kSmallSegments);
  const auto journal = folder.Create();
  ASSERT_TRUE((*journal)->Claim("x").durable());
  folder.files().FailEvery("preallocate", "No space left on device");
  ASSERT_TRUE(AppendTexts(**journal, {std::string(30, 'x')}).durable());
  const std::size_t calls = folder.files().steps().size();
  EXPECT_EQ(folder.files().steps().back(), "preallocate");
  ASSERT_TRUE(AppendTexts(**journal, {""}).durable());
  // Not tried again for each block.
  EXPECT_EQ(folder.files().steps().size(), calls + 2);
  folder.files().FailNoMore();
  EXPECT_TRUE(AppendTexts(**journal, {std::string(200, 'x')}).durable());
  EXPECT_EQ(folder.Files("j").size(), 2u);
}

TEST_P(JournalFaultTest, ASnapshotThatCannotBeWrittenIsNoHarm) {
  JournalFolder folder(GetParam(), 4000);
  FaultyFileSystem& files = folder.files();
  const auto journal = folder.Create();
  ASSERT_TRUE((*journal)->Claim("x").durable());
  files.FailEvery("write", "No space left on device");
  EXPECT_FALSE((*journal)->WriteSnapshot("state"));
  files.FailNoMore();
  EXPECT_TRUE(AppendTexts(**journal, {"a"}).durable());
  EXPECT_FALSE(*(*journal)->ReadSnapshot());
}

INSTANTIATE_TEST_SUITE_P(Anchor, JournalFaultTest, ::testing::Bool());

// The journal's disk says that it synced and did not.
TEST(JournalLostSyncTest, TheAnchorCompletesAJournalThatLostItsLastSync) {
  JournalFolder folder(/*anchored=*/true, 1 << 14);
  FaultyFileSystem& files = folder.files();
  Position end;
  {
    const auto journal = folder.Create();
    ASSERT_TRUE((*journal)->Claim("x").durable());
    ASSERT_TRUE(AppendTexts(**journal, {"a"}).durable());
    files.IgnoreSyncsUnder(folder.scratch().path("j"));
    end = AppendTexts(**journal, {"b", std::string(2000, 'c')}).intended;
  }
  files.LoseUnsynced([] { return true; });
  files.IgnoreSyncsUnder("");
  const auto journal = folder.Open();
  ASSERT_TRUE(journal) << journal.error().message;
  EXPECT_TRUE((*journal)->recovery().completed);
  EXPECT_EQ((*journal)->position(), end);
}

TEST(JournalLostSyncTest, TwoLostSyncsAreRefused) {
  JournalFolder folder(/*anchored=*/true, 1 << 14);
  FaultyFileSystem& files = folder.files();
  {
    const auto journal = folder.Create();
    ASSERT_TRUE((*journal)->Claim("x").durable());
    files.IgnoreSyncsUnder(folder.scratch().path("j"));
    ASSERT_TRUE(AppendTexts(**journal, {"a"}).durable());
    ASSERT_TRUE(AppendTexts(**journal, {"b"}).durable());
  }
  files.LoseUnsynced([] { return true; });
  const auto journal = folder.Open();
  ASSERT_FALSE(journal);
  EXPECT_NE(journal.error().message.find("rolled back"), std::string::npos);
}

}  // namespace
}  // namespace sotto::testing
