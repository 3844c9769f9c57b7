#include "sotto/data/files/distinct_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "sotto/testing/scratch_folder.h"

namespace sotto {
namespace {

class DistinctFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.Write("data", "x,y\n");
    std::filesystem::create_directory(folder_.path("sub"));
  }
  Status Check(const std::string& input, const std::string& output) const {
    const std::vector<NamedFile> inputs = {{"--data", input}};
    const std::vector<NamedFile> outputs = {{"-p", output}};
    return CheckDistinct(inputs, outputs);
  }

  testing::ScratchFolder folder_;
  std::string data_ = folder_.path("data");
};

TEST_F(DistinctFilesTest, OtherFilesAreFine) {
  EXPECT_TRUE(Check(data_, folder_.path("other")));
  EXPECT_TRUE(Check(data_, ""));
  EXPECT_TRUE(Check("-", "-"));
}

TEST_F(DistinctFilesTest, AnInputIsNeverReplacedWhateverItIsCalled) {
  std::filesystem::create_hard_link(data_, folder_.path("hard"));
  std::filesystem::create_symlink(data_, folder_.path("soft"));
  for (const char* name : {"data", "./data", "sub/../data", "hard", "soft"}) {
    const Status same = Check(data_, folder_.path(name));
    ASSERT_FALSE(same) << name;
    EXPECT_EQ(same.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(same.error().message.find("--data"), std::string::npos);
    EXPECT_NE(same.error().message.find("-p"), std::string::npos);
  }
}

TEST_F(DistinctFilesTest, TwoOutputsThatDoNotExistYetNeedTwoFiles) {
  const std::vector<NamedFile> outputs = {
      {"-p", folder_.path("out")}, {"--report", folder_.path("sub/../out")}};
  EXPECT_FALSE(CheckDistinct({}, outputs));
}

TEST_F(DistinctFilesTest, AStateMayBeSavedWhereItWasLoadedAndNothingElseMay) {
  const std::vector<NamedFile> load = {{"--load", data_, true}};
  EXPECT_TRUE(
      CheckDistinct(load, std::vector<NamedFile>{{"--save", data_, true}}));
  EXPECT_FALSE(CheckDistinct(load, std::vector<NamedFile>{{"-p", data_}}));
}

TEST_F(DistinctFilesTest, DevicesMayBeNamedTwice) {
  EXPECT_TRUE(Check("/dev/null", "/dev/null"));
}

}  // namespace
}  // namespace sotto
