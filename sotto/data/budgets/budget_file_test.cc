#include "sotto/data/budgets/budget_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "sotto/testing/faulty_file_system.h"

namespace sotto {
namespace {

Guarantee Cost(double epsilon, double delta = 0,
               Relation relation = Relation::kReplace,
               Notion notion = Notion::kDp) {
  return *Guarantee::Create({.notion = notion,
                             .relation = relation,
                             .epsilon = epsilon,
                             .delta = delta,
                             .protects = "a row"});
}

class BudgetFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / "sotto-budget-XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
    path_ = folder_ + "/readers.budget";
    ASSERT_TRUE(BudgetFile::Create(path_, Head()));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static BudgetHead Head() {
    return {.people = "readers", .limits = {.limit = {2, 1e-5}}};
  }
  std::string Bytes() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void Write(const std::string& bytes) const {
    std::ofstream(path_, std::ios::trunc) << bytes;
  }
  ErrorCode ReadError() const { return BudgetFile::Read(path_).error().code; }

  std::string folder_;
  std::string path_;
};

TEST_F(BudgetFileTest, AChargeIsReadBackWithAllItSays) {
  const auto after = BudgetFile::Spend(
      path_, Cost(0.5, 1e-6, Relation::kReplace, Notion::kChallengeDp),
      {.command = "run tide", .group = "north", .note = "first try"});
  ASSERT_TRUE(after) << after.error().message;
  const auto record = BudgetFile::Read(path_);
  ASSERT_TRUE(record) << record.error().message;
  ASSERT_EQ(record->entries().size(), 1U);
  const BudgetEntry& entry = record->entries()[0];
  EXPECT_EQ(entry.command, "run tide");
  EXPECT_EQ(entry.group, "north");
  EXPECT_EQ(entry.note, "first try");
  EXPECT_EQ(entry.cost, (ApproximateDp{0.5, 1e-6}));
  EXPECT_EQ(entry.notion, Notion::kChallengeDp);
  EXPECT_EQ(record->head().people, "readers");
  EXPECT_EQ(record->head().limits.limit, (ApproximateDp{2, 1e-5}));
  EXPECT_EQ(record->seal(), after->seal());
  EXPECT_EQ(record->filter().SpentBy("north"), (ApproximateDp{0.5, 1e-6}));
  EXPECT_EQ(record->notion(), Notion::kChallengeDp);
}

// All charges together promise no more than the weakest of them, in whatever
// order they came.
TEST_F(BudgetFileTest, TheRecordPromisesWhatItsWeakestChargeDoes) {
  const auto spend = [&](Notion notion, Adversary adversary) {
    return BudgetFile::Spend(path_,
                             *Guarantee::Create({.notion = notion,
                                                 .epsilon = 0.1,
                                                 .adversary = adversary,
                                                 .protects = "a row"}),
                             {});
  };
  const auto said = [&] {
    const auto record = BudgetFile::Read(path_);
    return std::pair(record->notion(), record->adversary());
  };
  EXPECT_EQ(said(), std::pair(Notion::kDp, Adversary::kAdaptive));
  ASSERT_TRUE(spend(Notion::kDp, Adversary::kAdaptive));
  EXPECT_EQ(said(), std::pair(Notion::kDp, Adversary::kAdaptive));
  ASSERT_TRUE(spend(Notion::kChallengeDp, Adversary::kAdaptive));
  EXPECT_EQ(said(), std::pair(Notion::kChallengeDp, Adversary::kAdaptive));
  ASSERT_TRUE(spend(Notion::kJdp, Adversary::kOblivious));
  EXPECT_EQ(said(), std::pair(Notion::kJdp, Adversary::kOblivious));
  ASSERT_TRUE(spend(Notion::kDp, Adversary::kAdaptive));
  EXPECT_EQ(said(), std::pair(Notion::kJdp, Adversary::kOblivious));
}

// The sum of a schedule is a rounded number: what is charged is not below it.
TEST_F(BudgetFileTest, AScheduleIsChargedWithItsRounding) {
  const auto schedule = DeltaSchedule::InverseSquare(1e-7);
  ASSERT_TRUE(schedule);
  const auto promise = Guarantee::Create({.notion = Notion::kEverlasting,
                                          .epsilon = 0.1,
                                          .schedule = *schedule,
                                          .protects = "a row"});
  ASSERT_TRUE(promise) << promise.error().message;
  const BudgetEntry entry = MakeBudgetEntry(*promise);
  EXPECT_GT(entry.cost.delta, promise->delta());
  EXPECT_LT(entry.cost.delta, promise->delta() * (1 + 1e-6));
}

TEST_F(BudgetFileTest, SlackIsKept) {
  const std::string path = folder_ + "/slack.budget";
  ASSERT_TRUE(BudgetFile::Create(
      path, {.people = "x", .limits = {.limit = {1, 1e-5}, .slack = 5e-6}}));
  EXPECT_EQ(BudgetFile::Read(path)->filter().params().slack, 5e-6);
}

TEST_F(BudgetFileTest, ARefusedChargeLeavesTheFileAsItWas) {
  ASSERT_TRUE(BudgetFile::Spend(path_, Cost(1.5), {.command = "fit"}));
  const std::string before = Bytes();
  const auto refused = BudgetFile::Spend(path_, Cost(1), {.command = "fit"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBudgetExhausted);
  EXPECT_NE(refused.error().message.find("epsilon 1.5 of"), std::string::npos)
      << refused.error().message;
  EXPECT_EQ(Bytes(), before);
}

TEST_F(BudgetFileTest, AddRemoveIsChargedTwiceAndChangeByOneOnce) {
  ASSERT_TRUE(
      BudgetFile::Spend(path_, Cost(0.5, 0, Relation::kAddRemove), {"a"}));
  ASSERT_TRUE(
      BudgetFile::Spend(path_, Cost(0.5, 0, Relation::kChangeByOne), {"b"}));
  const auto record = BudgetFile::Read(path_);
  EXPECT_GE(record->entries()[0].cost.epsilon, 1);
  EXPECT_EQ(record->entries()[1].cost.epsilon, 0.5);
}

TEST_F(BudgetFileTest, AnExistingFileIsNotReplaced) {
  const std::string before = Bytes();
  const Status again = BudgetFile::Create(path_, Head());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_NE(again.error().message.find("exists already"), std::string::npos);
  EXPECT_EQ(Bytes(), before);
}

TEST_F(BudgetFileTest, EveryChangedByteIsNoticed) {
  ASSERT_TRUE(BudgetFile::Spend(path_, Cost(0.5), {.command = "a"}));
  ASSERT_TRUE(BudgetFile::Spend(path_, Cost(0.5), {.command = "b"}));
  const std::string good = Bytes();
  for (std::size_t i = 0; i + 1 < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    Write(bad);
    EXPECT_EQ(ReadError(), ErrorCode::kCorruption) << i;
  }
  // A line that is missing from the middle.
  const std::size_t first = good.find('\n') + 1;
  Write(good.substr(0, first) + good.substr(good.find('\n', first) + 1));
  EXPECT_EQ(ReadError(), ErrorCode::kCorruption);
}

TEST_F(BudgetFileTest, ATornEndIsNoChargeAndTheNextChargeTakesItsPlace) {
  ASSERT_TRUE(BudgetFile::Spend(path_, Cost(0.5), {.command = "a"}));
  const std::string one = Bytes();
  ASSERT_TRUE(BudgetFile::Spend(
      path_, Cost(0.5), {.command = "b", .note = std::string(200, 'x')}));
  const std::string two = Bytes();
  for (const std::size_t kept : {one.size() + 1, two.size() - 1}) {
    Write(two.substr(0, kept));
    EXPECT_EQ(BudgetFile::Read(path_)->entries().size(), 1U);
    ASSERT_TRUE(BudgetFile::Spend(path_, Cost(0.25), {.command = "c"}));
    const auto record = BudgetFile::Read(path_);
    ASSERT_TRUE(record) << record.error().message;
    EXPECT_EQ(record->entries().size(), 2U);
    EXPECT_EQ(record->filter().SpentBy("").epsilon, 0.75);
  }
}

TEST_F(BudgetFileTest, ASealShowsThatTheRecordWasCutBack) {
  ASSERT_TRUE(BudgetFile::Spend(path_, Cost(0.5), {.command = "a"}));
  const std::string one = Bytes();
  const auto after = BudgetFile::Spend(path_, Cost(0.5), {.command = "b"});
  EXPECT_TRUE(BudgetFile::Read(path_)->Contains(after->seal()));
  Write(one);
  EXPECT_FALSE(BudgetFile::Read(path_)->Contains(after->seal()));
}

// Whatever call fails, a charge that was acknowledged is in the file, and the
// file can be read.
TEST_F(BudgetFileTest, NoFaultLosesAnAcknowledgedCharge) {
  bool all_worked = false;
  int acknowledged = 0;
  for (std::size_t call = 0; !all_worked && call < 50; ++call) {
    testing::FaultyFileSystem files;
    files.FailAt(call, "Input/output error");
    const std::size_t before = files.steps().size();
    const auto after =
        BudgetFile::Spend(path_, Cost(0.001), {.command = "a"}, files);
    all_worked = files.steps().size() - before <= call;
    acknowledged += after ? 1 : 0;
    const auto record = BudgetFile::Read(path_);
    ASSERT_TRUE(record) << record.error().message;
    EXPECT_GE(record->entries().size(), static_cast<std::size_t>(acknowledged));
  }
  EXPECT_TRUE(all_worked);
  EXPECT_EQ(acknowledged, 1);
}

TEST_F(BudgetFileTest, ThePowerTakesNoAcknowledgedCharge) {
  for (int trial = 0; trial < 20; ++trial) {
    testing::FaultyFileSystem files;
    const auto after =
        BudgetFile::Spend(path_, Cost(0.01), {.command = "a"}, files);
    ASSERT_TRUE(after) << after.error().message;
    files.LoseUnsynced([] { return true; });
    EXPECT_TRUE(BudgetFile::Read(path_)->Contains(after->seal()));
  }
}

TEST_F(BudgetFileTest, WritersWaitForEachOtherAndTogetherKeepTheLimit) {
  std::vector<int> admitted(4);
  {
    std::vector<std::jthread> writers;
    for (int& mine : admitted) {
      writers.emplace_back([this, &mine] {
        for (int i = 0; i < 10; ++i) {
          mine += BudgetFile::Spend(path_, Cost(0.125), {"a"}) ? 1 : 0;
        }
      });
    }
  }
  int sum = 0;
  for (const int mine : admitted) sum += mine;
  EXPECT_EQ(sum, 16);
  EXPECT_EQ(BudgetFile::Read(path_)->entries().size(), 16U);
}

TEST_F(BudgetFileTest, AFileThatStaysLockedIsAnError) {
  auto lock = RealFiles().LockToRead(path_);
  ASSERT_TRUE(lock);
  const auto late = BudgetFile::Spend(path_, Cost(0.5), {"a"}, RealFiles(),
                                      std::chrono::milliseconds(5));
  RealFiles().Discard(*lock);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_TRUE(BudgetFile::Read(path_)->entries().empty());
}

}  // namespace
}  // namespace sotto
