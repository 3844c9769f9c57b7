#include "sotto/data/files/state_file.h"

#include <gtest/gtest.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/testing/faulty_file_system.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto {
namespace {

class StateFileTest : public ::testing::Test {
 protected:
  std::string Payload() const {
    const auto state = ReadStateFile(path_, "k", 1);
    return state ? state->payload : state.error().message;
  }

  testing::ScratchFolder folder_;
  std::string path_ = folder_.path("run.state");
};

TEST_F(StateFileTest, ReadsBackWhatWasWritten) {
  ASSERT_TRUE(WriteStateFile(path_, {"count/tree", 3, std::string("a\0b", 3)}));
  const auto state = ReadStateFile(path_, "count/tree", 3);
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(state->kind, "count/tree");
  EXPECT_EQ(state->payload, std::string("a\0b", 3));
}

TEST_F(StateFileTest, IsReadableByItsOwnerOnly) {
  ASSERT_TRUE(WriteStateFile(path_, {"k", 1, "secret"}));
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
}

TEST_F(StateFileTest, ReplacesAnOldStateWhole) {
  ASSERT_TRUE(WriteStateFile(path_, {"k", 1, "old and long"}));
  ASSERT_TRUE(WriteStateFile(path_, {"k", 1, "new"}));
  EXPECT_EQ(Payload(), "new");
  EXPECT_EQ(folder_.files(), 1);
}

TEST_F(StateFileTest, EveryCutAndEveryFlippedBitIsFound) {
  ASSERT_TRUE(WriteStateFile(path_, {"kind", 1, "payload"}));
  const std::string good = folder_.Read("run.state");
  for (std::size_t size = 0; size < good.size(); ++size) {
    folder_.Write("run.state", good.substr(0, size));
    EXPECT_FALSE(ReadStateFile(path_, "kind", 1)) << "cut at " << size;
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      folder_.Write("run.state", bad);
      EXPECT_FALSE(ReadStateFile(path_, "kind", 1))
          << "bit " << bit << " of " << i;
    }
  }
}

TEST_F(StateFileTest, RefusesAnotherKindOrVersionByName) {
  ASSERT_TRUE(WriteStateFile(path_, {"count/tree", 1, ""}));
  const auto kind = ReadStateFile(path_, "monitor", 1);
  ASSERT_FALSE(kind);
  EXPECT_NE(kind.error().message.find("count/tree"), std::string::npos);
  EXPECT_FALSE(ReadStateFile(path_, "count/tree", 2));
}

TEST_F(StateFileTest, NeverReplacesWhatIsNotARegularFile) {
  std::filesystem::create_symlink("elsewhere", path_);
  EXPECT_FALSE(WriteStateFile(path_, {"k", 1, ""}));
  EXPECT_FALSE(CheckStateCanBeWritten(path_));
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_FALSE(WriteStateFile(folder_.path(), {"k", 1, ""}));
  EXPECT_FALSE(ReadStateFile(folder_.path(), "k", 1));
  EXPECT_FALSE(ReadStateFile("/dev/zero", "k", 1));
}

TEST_F(StateFileTest, TellsBeforehandWhetherItCanBeWritten) {
  EXPECT_TRUE(CheckStateCanBeWritten(path_));
  EXPECT_EQ(folder_.files(), 0);
  EXPECT_FALSE(CheckStateCanBeWritten(folder_.path("no/x")));
}

TEST_F(StateFileTest, AFolderThatDoesNotExistIsAnErrorWithItsReason) {
  const std::string nowhere = folder_.path("no/x");
  const Status written = WriteStateFile(nowhere, {"k", 1, ""});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(ReadStateFile(nowhere, "k", 1));
}

// Drafts without a name, and with one.
class StateFileFaultTest : public StateFileTest,
                           public ::testing::WithParamInterface<bool> {
 protected:
  FileSystem& real_ = GetParam() ? RealFiles() : FilesWithNamedDrafts();
};
INSTANTIATE_TEST_SUITE_P(Drafts, StateFileFaultTest, ::testing::Bool());

// Whatever step fails, with a full disk or a broken one, and however short the
// writes are: the state on disk is the one that the sentence names, whole, and
// no other file is left.
TEST_P(StateFileFaultTest, AFaultAtAnyStepLeavesTheStateThatItsSentenceNames) {
  std::vector<std::string> failed;
  for (std::size_t step = 0;; ++step) {
    ASSERT_TRUE(WriteStateFile(path_, {"k", 1, "old"}));
    testing::FaultyFileSystem files(real_);
    files.WriteAtMost(7);
    files.FailAt(step, "No space left on device");
    const Status written = WriteStateFile(path_, {"k", 1, "new"}, files);
    EXPECT_EQ(folder_.files(), 1);
    if (written) {
      EXPECT_EQ(Payload(), "new");
      break;
    }
    failed.push_back(files.steps().back());
    const std::string& why = written.error().message;
    EXPECT_NE(why.find("No space left on device"), std::string::npos);
    const bool unchanged = why.find("is as it was") != std::string::npos;
    const bool replaced = why.find("holds the new state") != std::string::npos;
    EXPECT_NE(unchanged, replaced) << why;
    EXPECT_EQ(Payload(), replaced ? "new" : "old") << failed.back();
  }
  for (const char* step :
       {"look", "create", "write", "sync", "publish", "sync folder"}) {
    EXPECT_NE(std::find(failed.begin(), failed.end(), step), failed.end());
  }
  EXPECT_GT(failed.size(), 10U);  // of which several are writes
}

TEST_P(StateFileFaultTest, AFirstStateThatFailsLeavesNothing) {
  for (std::size_t step = 0; step < 5; ++step) {
    testing::FaultyFileSystem files(real_);
    files.FailAt(step, "Input/output error");
    EXPECT_FALSE(WriteStateFile(path_, {"k", 1, "secret key"}, files));
    EXPECT_EQ(folder_.files(), 0) << step;
  }
}

// The file of a killed process under the name that a draft has for a moment.
TEST_F(StateFileTest, WhatAKilledProcessLeftIsTakenAwayByTheNextSave) {
  folder_.Write(".run.state.draft", "half a state with a key");
  ASSERT_TRUE(WriteStateFile(path_, {"k", 1, "new"}));
  EXPECT_EQ(folder_.files(), 1);
  EXPECT_EQ(Payload(), "new");
  folder_.Write(".run.state.draft", "half a state with a key");
  ASSERT_TRUE(WriteStateFile(path_, {"k", 1, "newer"}, FilesWithNamedDrafts()));
  EXPECT_EQ(folder_.files(), 1);
  EXPECT_EQ(Payload(), "newer");
}

// A file whose payload is a hole, with the hash that belongs to it.
TEST_F(StateFileTest, AStateOfMoreThanAGibibyteCanBeLoaded) {
  constexpr std::uint64_t kSize = (std::uint64_t{1} << 30) + 5;
  constexpr std::string_view kHash =
      "d4275963f86b0cb154413fa324952b33"
      "2ae968762c2eb59f909f97247cc505e9";
  ByteWriter writer;
  writer.Text("k");
  writer.Number(std::uint32_t{1});
  writer.Number(kSize);
  const std::string head = "SOTTO-STATE-1\n" + writer.bytes();
  std::string hash(32, '\0');
  sodium_hex2bin(reinterpret_cast<unsigned char*>(hash.data()), hash.size(),
                 kHash.data(), kHash.size(), nullptr, nullptr, nullptr);
  folder_.Write("run.state", head);
  ASSERT_EQ(::truncate(path_.c_str(), static_cast<off_t>(head.size() + kSize)),
            0);
  std::ofstream(path_, std::ios::binary | std::ios::app) << hash;
  const auto state = ReadStateFile(path_, "k", 1);
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(state->payload.size(), kSize);
}

}  // namespace
}  // namespace sotto
