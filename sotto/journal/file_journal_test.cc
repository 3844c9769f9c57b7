#include "sotto/journal/file_journal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <set>
#include <string>

#include "sotto/journal/block.h"
#include "sotto/journal/journal_test_suite.h"
#include "sotto/journal/journal_test_tools.h"
#include "sotto/journal/segment.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::testing {
namespace {

using Texts = std::vector<std::string>;

class FileStore final : public JournalStore {
 public:
  FileStore(bool anchored, std::uint64_t segment_bytes)
      : folder_(anchored, segment_bytes) {}
  Result<std::unique_ptr<Journal>> Create() override {
    SOTTO_TRY_ASSIGN(auto journal, folder_.Create());
    return std::unique_ptr<Journal>(std::move(journal));
  }
  Result<std::unique_ptr<Journal>> Open() override {
    SOTTO_TRY_ASSIGN(auto journal, folder_.Open());
    return std::unique_ptr<Journal>(std::move(journal));
  }

 private:
  JournalFolder folder_;
};

JournalStoreFactory Factory(std::string name, bool anchored,
                            std::uint64_t segment_bytes) {
  return {std::move(name),
          [=] { return std::make_unique<FileStore>(anchored, segment_bytes); }};
}

INSTANTIATE_TEST_SUITE_P(Files, JournalConformanceTest,
                         ::testing::Values(Factory("File", false, 1 << 20),
                                           Factory("Anchored", true, 1 << 20),
                                           Factory("SmallSegments", true, 300)),
                         FactoryName);

TEST(FileJournalTest, ASecondWriterIsRefused) {
  const JournalFolder folder;
  const auto first = folder.Create();
  ASSERT_TRUE(first);
  const auto second = folder.Open();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_NE(second.error().message.find("another process"), std::string::npos);
  EXPECT_FALSE(folder.Create());
}

TEST(FileJournalTest, CreateReplacesNeitherAJournalNorAnAnchor) {
  JournalFolder folder(/*anchored=*/true);
  WriteBlocks(folder, {{"a"}});
  EXPECT_EQ(folder.Create().error().code, ErrorCode::kFailedPrecondition);
  std::filesystem::remove_all(folder.scratch().path("j"));
  EXPECT_EQ(folder.Create().error().code, ErrorCode::kFailedPrecondition);
}

TEST(FileJournalTest, ThereIsNothingToOpenWithoutAJournal) {
  const JournalFolder folder;
  EXPECT_FALSE(folder.Open());
  std::filesystem::create_directory(folder.scratch().path("j"));
  EXPECT_FALSE(folder.Open());
}

TEST(FileJournalTest, AnotherKeyIsRefusedAsSuch) {
  JournalFolder folder;
  WriteBlocks(folder, {{"a"}});
  folder.options().roots = {KeyOfBytes(9)};
  const auto journal = folder.Open();
  ASSERT_FALSE(journal);
  EXPECT_NE(journal.error().message.find("another key"), std::string::npos);
}

TEST(FileJournalTest, ARotatedKeyIsReadBesideTheOldOne) {
  JournalFolder folder;
  WriteBlocks(folder, {{"a"}});
  folder.options().roots = {KeyOfBytes(1), KeyOfBytes(9)};
  {
    const auto journal = folder.Open();
    ASSERT_TRUE(journal);
    ASSERT_TRUE((*journal)->Claim("x").durable());
    ASSERT_TRUE(AppendTexts(**journal, {"b"}).durable());
  }
  EXPECT_EQ(*ReadTexts(**folder.Open()), (std::vector<std::string>{"a", "b"}));
  folder.options().roots = {KeyOfBytes(1)};
  EXPECT_FALSE(folder.Open());
}

TEST(FileJournalTest, FilesAreTheOwnersAlone) {
  const JournalFolder folder(/*anchored=*/true);
  WriteBlocks(folder, {{"a"}});
  for (const char* in : {"j", "a"}) {
    struct stat info {};
    ASSERT_EQ(::stat(folder.scratch().path(in).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777u, 0700u);
    for (const std::string& name : folder.Files(in)) {
      ASSERT_EQ(::stat(folder.scratch().path(name).c_str(), &info), 0);
      EXPECT_EQ(info.st_mode & 0777u, 0600u) << name;
    }
  }
}

TEST(FileJournalTest, PayloadsAreNotReadableOnDisk) {
  const JournalFolder folder(/*anchored=*/true);
  {
    const auto journal = folder.Create();
    ASSERT_TRUE((*journal)->Claim("canary").durable());
    ASSERT_TRUE(AppendTexts(**journal, {"canary"}).durable());
    ASSERT_TRUE((*journal)->WriteSnapshot("canary"));
  }
  for (const char* in : {"j", "a"}) {
    for (const std::string& name : folder.Files(in)) {
      EXPECT_EQ(folder.scratch().Read(name).find("canary"), std::string::npos);
    }
  }
}

TEST(FileJournalTest, NoNonceComesTwice) {
  const JournalFolder folder(false, 1 << 20);
  WriteBlocks(folder, std::vector<std::vector<std::string>>(
                          50, {"same", "same", "same"}));
  const std::string bytes = folder.scratch().Read("j/journal-0000000000000001");
  std::set<std::string> nonces;
  std::size_t records = 0;
  ChainWalker walker;
  const auto end = walker.Walk(bytes, [&](const PlacedBlock& block) {
    const std::size_t sealed =
        (block.bytes.size() - kBlockHeaderBytes - kBlockEnd.size()) /
        block.header.records;
    for (std::size_t i = 0; i < block.header.records; ++i) {
      nonces.emplace(
          block.bytes.substr(kBlockHeaderBytes + i * sealed + 4, kNonceBytes));
      ++records;
    }
    return Result<Position>(FollowChain(block.header, block.bytes));
  });
  ASSERT_TRUE(end);
  EXPECT_EQ(records, 151u);
  EXPECT_EQ(nonces.size(), records);
}

TEST(FileJournalTest, SegmentsAreReservedAndFollowEachOther) {
  const JournalFolder folder(false, 1000);
  WriteBlocks(folder,
              std::vector<std::vector<std::string>>(20, {"0123456789"}));
  const auto names = folder.Files("j");
  EXPECT_GT(names.size(), 2u);
  for (const std::string& name : names) {
    EXPECT_EQ(folder.scratch().Read(name).size(), 1000u) << name;
  }
}

TEST(FileJournalTest, AMissingSegmentIsRefused) {
  const JournalFolder folder(false, 1000);
  WriteBlocks(folder,
              std::vector<std::vector<std::string>>(20, {"0123456789"}));
  const auto names = folder.Files("j");
  ASSERT_GT(names.size(), 3u);
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    const std::string bytes = folder.scratch().Read(names[i]);
    std::filesystem::remove(folder.scratch().path(names[i]));
    EXPECT_FALSE(folder.Open()) << names[i];
    folder.scratch().Write(names[i], bytes);
  }
  EXPECT_TRUE(folder.Open());
}

// Two continuations of one journal have segments of the same name.
TEST(FileJournalTest, ASegmentOfAForkIsRefused) {
  const JournalFolder folder(false, 1000);
  WriteBlocks(folder, {});
  folder.Copy("j", "other");
  const auto fill = [&] {
    const auto journal = folder.Open();
    ASSERT_TRUE(journal);
    ASSERT_TRUE((*journal)->Claim("x").durable());
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(AppendTexts(**journal, {"0123456789"}).durable());
    }
  };
  fill();
  folder.Copy("j", "fork");
  folder.Copy("other", "j");
  fill();
  const auto names = folder.Files("j");
  ASSERT_GT(names.size(), 2u);
  const std::string fork = "fork" + names.back().substr(1);
  folder.scratch().Write(names.back(), folder.scratch().Read(fork));
  const auto journal = folder.Open();
  ASSERT_FALSE(journal);
  EXPECT_NE(journal.error().message.find("does not continue"),
            std::string::npos);
}

TEST(FileJournalTest, ASavedPositionShowsARollback) {
  JournalFolder folder;
  WriteBlocks(folder, {{"a"}});
  folder.Copy("j", "backup");
  {
    const auto journal = folder.Open();
    ASSERT_TRUE((*journal)->Claim("x").durable());
    folder.options().at_least = (*journal)->position();
    ASSERT_TRUE(AppendTexts(**journal, {"b"}).durable());
  }
  EXPECT_TRUE(folder.Open());
  folder.Copy("backup", "j");
  const auto journal = folder.Open();
  ASSERT_FALSE(journal);
  EXPECT_NE(journal.error().message.find("rolled back"), std::string::npos);
}

TEST(FileJournalTest, ASnapshotAheadOfTheJournalIsRefused) {
  const JournalFolder folder;
  WriteBlocks(folder, {{"a"}});
  folder.Copy("j", "backup");
  {
    const auto journal = folder.Open();
    ASSERT_TRUE((*journal)->Claim("x").durable());
    ASSERT_TRUE((*journal)->WriteSnapshot("state"));
  }
  const std::string snapshot = "snapshot-0000000000000003";
  folder.scratch().Write("backup/" + snapshot,
                         folder.scratch().Read("j/" + snapshot));
  folder.Copy("backup", "j");
  EXPECT_FALSE(folder.Open());
}

TEST(FileJournalTest, PrunedRecordsNeedTheirSnapshot) {
  const JournalFolder folder;
  {
    const auto journal = folder.Create();
    ASSERT_TRUE((*journal)->Claim("x").durable());
    ASSERT_TRUE((*journal)->WriteSnapshot("state"));
    ASSERT_TRUE((*journal)->Prune());
  }
  EXPECT_TRUE(folder.Open());
  std::filesystem::remove(folder.scratch().path("j/snapshot-0000000000000001"));
  EXPECT_FALSE(folder.Open());
}

TEST(FileJournalTest, ABlockLongerThanASegmentIsKeptBehindASnapshot) {
  const JournalFolder folder(false, 600);
  const std::string longer(1000, 'x');
  {
    const auto journal = folder.Create();
    ASSERT_TRUE((*journal)->Claim("x").durable());
    ASSERT_TRUE((*journal)->WriteSnapshot("state"));
    ASSERT_TRUE(AppendTexts(**journal, {longer}).durable());
    ASSERT_TRUE((*journal)->Prune());
    EXPECT_EQ(*ReadTexts(**journal, 1), Texts{longer});
  }
  EXPECT_EQ(*ReadTexts(**folder.Open(), 1), Texts{longer});
  EXPECT_EQ(folder.Files("j").size(), 2u);
}

// Where every file must have a name a killed process leaves the file that it
// prepared.
class LeftSegmentTest : public ::testing::Test {
 protected:
  LeftSegmentTest() {
    folder_.options().files = &files_;
    files_.SkipRealSyncs();
  }

  // In another process, which is killed after the file was prepared.
  void LeaveSegment() {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto journal = folder_.Create();
      if (!journal || !(*journal)->Claim("child").durable()) ::_exit(1);
      AppendTexts(**journal, {std::string(200, 'x')});
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    ASSERT_EQ(Prepared().size(), 1u);
  }

  Texts Prepared() const {
    Texts names = folder_.Files("j");
    std::erase_if(names, [](const std::string& name) {
      return !name.starts_with("j/.journal-next.draft");
    });
    return names;
  }

  FaultyFileSystem files_{FilesWithNamedDrafts()};
  JournalFolder folder_{false, 600};
};

TEST_F(LeftSegmentTest, IsReplacedByTheNextAndNeverRead) {
  LeaveSegment();
  const Texts left = Prepared();
  folder_.scratch().Write(left[0], "torn");
  const auto journal = folder_.Open();
  ASSERT_TRUE(journal) << journal.error().message;
  ASSERT_TRUE((*journal)->Claim("parent").durable());
  EXPECT_EQ(Prepared(), Texts());
  ASSERT_TRUE(AppendTexts(**journal, {"y"}).durable());
  EXPECT_EQ(*ReadTexts(**journal), (Texts{std::string(200, 'x'), "y"}));
}

TEST_F(LeftSegmentTest, IsNotTakenFromAProcessThatLives) {
  const auto journal = folder_.Create();
  ASSERT_TRUE((*journal)->Claim("first").durable());
  ASSERT_TRUE(AppendTexts(**journal, {std::string(200, 'x')}).durable());
  const Texts prepared = Prepared();
  ASSERT_EQ(prepared.size(), 1u);
  EXPECT_FALSE(folder_.Open());
  EXPECT_EQ(Prepared(), prepared);
  ASSERT_TRUE(AppendTexts(**journal, {"y"}).durable());
  EXPECT_EQ(Prepared(), Texts());
}

// A process that appends until it is killed, and says what is durable.
class Appender {
 public:
  explicit Appender(const JournalFolder& folder, std::uint64_t seed) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    child_ = ::fork();
    if (child_ == 0) Work(folder, seed, ends[1]);
    ::close(ends[1]);
    said_ = ends[0];
  }
  void WaitUntilItAppends() const {
    pollfd said{said_, POLLIN, 0};
    ::poll(&said, 1, 5000);
  }
  // Returns the last position that was durable.
  Position Kill(std::uint64_t microseconds) {
    ::usleep(static_cast<useconds_t>(microseconds));
    ::kill(child_, SIGKILL);
    int status = 0;
    ::waitpid(child_, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the child ended by itself";
    Position last;
    Position next;
    while (::read(said_, &next, sizeof(next)) == sizeof(next)) last = next;
    ::close(said_);
    return last;
  }

 private:
  [[noreturn]] static void Work(const JournalFolder& folder, std::uint64_t seed,
                                int say) {
    SeededRng rng(seed);
    auto journal = folder.Open();
    if (!journal || !(*journal)->Claim("child").durable()) ::_exit(1);
    while (true) {
      std::vector<std::string> texts;
      for (std::uint64_t i = 0; i <= rng.Next() % 20; ++i) {
        texts.emplace_back(rng.Next() % 400, 'r');
      }
      const auto result = AppendTexts(**journal, texts);
      if (!result.durable()) ::_exit(1);
      if (::write(say, &result.intended, sizeof(Position)) < 0) ::_exit(1);
    }
  }

  pid_t child_ = -1;
  int said_ = -1;
};

// SOTTO_KILLS sets how often, for a longer run.
TEST(FileJournalTest, NothingDurableIsLostByAKill) {
  const char* asked = std::getenv("SOTTO_KILLS");
  const int kills = asked != nullptr ? std::atoi(asked) : 100;
  JournalFolder folder(/*anchored=*/true, 20'000);
  folder.options().files = &RealFiles();
  WriteBlocks(folder, {});
  SeededRng rng(1);
  Position durable;
  int progress = 0;
  for (int i = 0; i < kills; ++i) {
    Appender appender(folder, rng.Next());
    if (i % 3 != 0) appender.WaitUntilItAppends();
    const Position last = appender.Kill(rng.Next() % 20'000);
    if (last.tail > 0) durable = last, ++progress;
    const auto journal = folder.Open();
    ASSERT_TRUE(journal) << "kill " << i << ": " << journal.error().message;
    ASSERT_TRUE(durable.tail == 0 || *(*journal)->Contains(durable)) << i;
    // At most a claim and one block are beyond what was said.
    ASSERT_TRUE(last.tail == 0 ||
                (*journal)->position().tail <= last.tail + 20);
    ASSERT_TRUE((*journal)->Claim("parent").durable());
    ASSERT_TRUE((*journal)->WriteSnapshot("state"));
    ASSERT_TRUE(i % 7 != 0 || (*journal)->Prune());
    durable = (*journal)->position();
  }
  EXPECT_GE(progress, kills / 2);
}

}  // namespace
}  // namespace sotto::testing
