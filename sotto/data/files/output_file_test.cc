#include "sotto/data/files/output_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "sotto/testing/faulty_file_system.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto {
namespace {

class OutputFileTest : public ::testing::Test {
 protected:
  testing::ScratchFolder folder_;
  std::string path_ = folder_.path("out");
};

TEST_F(OutputFileTest, AppearsWholeWhenItIsCommittedAndNotBefore) {
  auto file = OutputFile::Create(path_);
  ASSERT_TRUE(file);
  ASSERT_EQ(::write(file->fd(), "1\n", 2), 2);
  EXPECT_FALSE(std::filesystem::exists(path_));
  ASSERT_TRUE(file->Commit());
  EXPECT_EQ(folder_.Read("out"), "1\n");
}

TEST_F(OutputFileTest, GoesOnUnderItsNameAfterItIsCommitted) {
  {
    auto file = OutputFile::Create(path_);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->Commit());
    ASSERT_EQ(::write(file->fd(), "1\n", 2), 2);
    EXPECT_EQ(folder_.Read("out"), "1\n");
    ASSERT_TRUE(file->Commit());
  }
  EXPECT_EQ(folder_.Read("out"), "1\n");
  EXPECT_EQ(folder_.files(), 1);
}

TEST_F(OutputFileTest, LeavesNothingIfItIsNotCommitted) {
  folder_.Write("out", "old");
  {
    auto file = OutputFile::Create(path_);
    ASSERT_TRUE(file);
    ASSERT_EQ(::write(file->fd(), "1\n", 2), 2);
  }
  EXPECT_EQ(folder_.Read("out"), "old");
  EXPECT_EQ(folder_.files(), 1);
}

TEST_F(OutputFileTest, AFaultAtAnyStepIsOfThatFileAndLeavesTheOldOne) {
  folder_.Write("out", "old");
  for (std::size_t step = 0;; ++step) {
    testing::FaultyFileSystem files;
    files.WriteAtMost(2);
    files.FailAt(step, "No space left on device");
    const Status written = WriteOutput(path_, "report", files);
    EXPECT_EQ(folder_.files(), 1);
    if (written) break;
    EXPECT_EQ(folder_.Read("out"), "old");
    if (files.steps().back() == "write") {
      EXPECT_NE(written.error().message.find(path_), std::string::npos);
      EXPECT_EQ(written.error().code, ErrorCode::kUnavailable);
    }
  }
  EXPECT_EQ(folder_.Read("out"), "report");
}

TEST_F(OutputFileTest, DevicesAreWrittenDirectlyAndLinksAreNotFollowed) {
  EXPECT_TRUE(WriteOutput("/dev/null", "text"));
  const Status full = WriteOutput("/dev/full", "text");
  ASSERT_FALSE(full);
  EXPECT_NE(full.error().message.find("/dev/full"), std::string::npos);
  folder_.Write("target", "old");
  std::filesystem::create_symlink("target", path_);
  const Status link = WriteOutput(path_, "new");
  ASSERT_FALSE(link);
  EXPECT_NE(link.error().message.find("symbolic link"), std::string::npos);
  EXPECT_EQ(folder_.Read("target"), "old");
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  std::filesystem::remove(path_);
  std::filesystem::create_symlink("nowhere", path_);
  EXPECT_FALSE(WriteOutput(path_, "new"));
  std::filesystem::remove(path_);
  std::filesystem::create_symlink("/dev/null", path_);
  EXPECT_TRUE(WriteOutput(path_, "new"));
}

}  // namespace
}  // namespace sotto
