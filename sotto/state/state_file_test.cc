#include "sotto/state/state_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace sotto {
namespace {

class StateFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() /
        ("sotto-state-" +
         std::string(
             ::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    path_ = (folder_ / "run.state").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void Replace(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary) << bytes;
  }

  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(StateFileTest, ReadsBackWhatWasWritten) {
  ASSERT_TRUE(WriteStateFile(path_, {"count/tree", 3, std::string("a\0b", 3)}));
  const auto state = ReadStateFile(path_, "count/tree", 3);
  ASSERT_TRUE(state) << state.error().message;
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
  EXPECT_EQ(ReadStateFile(path_, "k", 1)->payload, "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(StateFileTest, EveryCutAndEveryFlippedBitIsFound) {
  ASSERT_TRUE(WriteStateFile(path_, {"kind", 1, "payload"}));
  const std::string good = Bytes();
  for (std::size_t size = 0; size < good.size(); ++size) {
    Replace(good.substr(0, size));
    EXPECT_FALSE(ReadStateFile(path_, "kind", 1)) << "cut at " << size;
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      Replace(bad);
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
  EXPECT_FALSE(WriteStateFile(folder_.string(), {"k", 1, ""}));
  EXPECT_FALSE(ReadStateFile(folder_.string(), "k", 1));
  EXPECT_FALSE(ReadStateFile("/dev/zero", "k", 1));
}

TEST_F(StateFileTest, TellsBeforehandWhetherItCanBeWritten) {
  EXPECT_TRUE(CheckStateCanBeWritten(path_));
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  EXPECT_FALSE(CheckStateCanBeWritten((folder_ / "no" / "x").string()));
}

TEST_F(StateFileTest, AFolderThatDoesNotExistIsAnErrorWithItsReason) {
  const std::string nowhere = (folder_ / "no" / "x").string();
  const Status written = WriteStateFile(nowhere, {"k", 1, ""});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(ReadStateFile(nowhere, "k", 1));
}

}  // namespace
}  // namespace sotto
