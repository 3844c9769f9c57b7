#include "sotto/service/client/label_outbox.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "sotto/testing/faulty_file_system.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto {
namespace {

class LabelOutboxTest : public ::testing::Test {
 protected:
  LabelOutboxTest() { files_.SkipRealSyncs(); }
  LabelOutbox Open() {
    auto outbox = LabelOutbox::Open(path_, files_);
    EXPECT_TRUE(outbox) << outbox.error().message;
    return *std::move(outbox);
  }
  static std::vector<std::string> Labels(const LabelOutbox& outbox) {
    std::vector<std::string> labels;
    for (const auto& [number, label] : outbox.waiting()) {
      labels.push_back(label);
    }
    return labels;
  }

  testing::ScratchFolder folder_;
  std::string path_ = folder_.path("outbox");
  testing::FaultyFileSystem files_;
};

using Texts = std::vector<std::string>;

TEST_F(LabelOutboxTest, KeepsWhatWasAddedAndNotRemoved) {
  {
    LabelOutbox outbox = Open();
    ASSERT_TRUE(outbox.Add("a"));
    const auto b = outbox.Add("b");
    ASSERT_TRUE(b && outbox.Add("c") && outbox.Remove(*b));
    EXPECT_EQ(Labels(outbox), (Texts{"a", "c"}));
  }
  LabelOutbox again = Open();
  EXPECT_EQ(Labels(again), (Texts{"a", "c"}));
  // Numbers are not used twice while labels wait.
  const auto d = again.Add("d");
  ASSERT_TRUE(d && again.Remove(again.waiting().begin()->first));
  EXPECT_EQ(Labels(again), (Texts{"c", "d"}));
  EXPECT_FALSE(again.Add("two\nlines"));
}

TEST_F(LabelOutboxTest, OneProcessAtATime) {
  LabelOutbox outbox = Open();
  const auto second = LabelOutbox::Open(path_, files_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(LabelOutboxTest, ATornLineIsNoLabelAndTakesNoneAway) {
  {
    LabelOutbox outbox = Open();
    ASSERT_TRUE(outbox.Add("first") && outbox.Add("second"));
  }
  std::ofstream(path_, std::ios::app) << "+2 thi";
  EXPECT_EQ(Labels(Open()), (Texts{"first", "second"}));
}

// Whatever call fails, what was acknowledged is there afterwards, and no label
// that was added later is hurt by the rest of a failed line.
TEST_F(LabelOutboxTest, AFailureOfAnyCallLosesNothing) {
  files_.WriteAtMost(3);
  for (std::size_t call = 0; call < 24; ++call) {
    Texts kept;
    Texts failed;
    {
      LabelOutbox outbox = Open();
      for (const auto& [number, label] : outbox.waiting()) {
        kept.push_back(label);
      }
      files_.FailAt(call, "Input/output error");
      for (const char* label : {"{\"y\":-0}", "b", "{\"y\":-1}", "d"}) {
        (outbox.Add(label) ? kept : failed).emplace_back(label);
      }
      files_.FailNoMore();
      EXPECT_EQ(Labels(outbox), kept);
    }
    LabelOutbox again = Open();
    Texts found = Labels(again);
    if (found != kept) {  // the last line failed, and is there all the same
      ASSERT_EQ(failed, Texts{"d"});
      kept.emplace_back("d");
    }
    EXPECT_EQ(found, kept) << call;
    while (!again.waiting().empty()) {
      ASSERT_TRUE(again.Remove(again.waiting().begin()->first));
    }
  }
}

TEST_F(LabelOutboxTest, TheFileDoesNotGrowForEver) {
  LabelOutbox outbox = Open();
  for (int i = 0; i < 300; ++i) {
    const auto number = outbox.Add(std::string(1000, 'x'));
    ASSERT_TRUE(number && outbox.Remove(*number));
  }
  EXPECT_LT(RealFiles().Look(path_)->value().size, 70'000U);
}

TEST_F(LabelOutboxTest, WithoutAPathNothingIsWritten) {
  auto outbox = LabelOutbox::Open("", files_);
  ASSERT_TRUE(outbox && outbox->Add("a"));
  EXPECT_EQ(Labels(*outbox), Texts{"a"});
  EXPECT_TRUE(files_.steps().empty());
}

}  // namespace
}  // namespace sotto
