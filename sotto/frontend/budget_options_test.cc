#include "sotto/frontend/budget_options.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "sotto/accounting/group_privacy.h"
#include "sotto/online/shared_options.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto {
namespace {

using Words = std::vector<std::pair<std::string, std::string>>;

class BudgetOptionsTest : public ::testing::Test {
 protected:
  BudgetOptionsTest() {
    EXPECT_TRUE(BudgetFile::Create(
        path_, {.people = "p", .limits = {.limit = {4, 1e-3}}}));
  }
  Settings Make(const Words& words) const {
    OptionTable table = ConcatOptions({PrivacyOptions(), BudgetOptions()});
    table.push_back({.name = "seed", .type = OptionType::kWhole});
    table.push_back({.name = "load"});
    Settings settings(table);
    EXPECT_TRUE(settings.Set("epsilon", "1"));
    EXPECT_TRUE(settings.Set("delta", "1e-5"));
    for (const auto& [name, text] : words) {
      EXPECT_TRUE(settings.Set(name, text)) << name;
    }
    return settings;
  }
  std::vector<BudgetEntry> Entries() const {
    return BudgetFile::Read(path_)->entries();
  }
  static Guarantee Promise(double epsilon, double delta) {
    return *Guarantee::Create({.relation = Relation::kReplace,
                               .epsilon = epsilon,
                               .delta = delta,
                               .protects = "a record"});
  }

  testing::ScratchFolder folder_;
  const std::string path_ = folder_.path("known.budget");
};

TEST_F(BudgetOptionsTest, ARequestIsChargedAsAskedAndSettledAsPromised) {
  const Settings settings = Make({{"budget", path_}, {"group", "north"}});
  BudgetRequest request(settings, "fit tree");
  ASSERT_TRUE(request.Charge());
  ASSERT_EQ(Entries().size(), 1U);
  EXPECT_EQ(Entries()[0].cost, (ApproximateDp{1, 1e-5}));
  EXPECT_EQ(Entries()[0].command, "fit tree");
  EXPECT_EQ(Entries()[0].group, "north");
  // No more than was charged.
  ASSERT_TRUE(request.Settle(Promise(0.9, 1e-5)));
  EXPECT_EQ(Entries().size(), 1U);
  // The samplers' delta beyond it.
  ASSERT_TRUE(request.Settle(Promise(1, 3e-5)));
  ASSERT_EQ(Entries().size(), 2U);
  EXPECT_EQ(Entries()[1].cost.epsilon, 0);
  EXPECT_DOUBLE_EQ(Entries()[1].cost.delta, 2e-5);
  ASSERT_TRUE(request.Settle(Promise(1.5, 0)));
  ASSERT_EQ(Entries().size(), 3U);
  EXPECT_DOUBLE_EQ(Entries()[2].cost.epsilon, 0.5);
}

// A record that comes or goes: one that is replaced does both.
TEST_F(BudgetOptionsTest, AnAddRemoveRequestIsChargedForAReplacement) {
  const Settings settings =
      Make({{"budget", path_}, {"relation", "add-remove"}});
  BudgetRequest request(settings, "quantile");
  ASSERT_TRUE(request.Charge());
  ASSERT_EQ(Entries().size(), 1U);
  EXPECT_EQ(Entries()[0].cost, ReplaceFromAddRemove(ApproximateDp{1, 1e-5}));
  EXPECT_GE(Entries()[0].cost.epsilon, 2);
}

TEST_F(BudgetOptionsTest, WhatDoesNotFitIsRefusedAndNotRecorded) {
  const Settings settings = Make({{"budget", path_}});
  ASSERT_TRUE(ChargeBudget(settings, Promise(3, 0), "run tide"));
  const Status refused = ChargeBudget(settings, Promise(2, 0), "run tide");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBudgetExhausted);
  EXPECT_NE(refused.error().message.find("Nothing was released"),
            std::string::npos);
  EXPECT_EQ(Entries().size(), 1U);
  // Without --budget nothing is charged.
  ASSERT_TRUE(ChargeBudget(Make({}), Promise(2, 0), "run tide"));
  EXPECT_EQ(Entries().size(), 1U);
}

TEST_F(BudgetOptionsTest, NoiseOfASeedAndResumedRunsAreNotCharged) {
  EXPECT_TRUE(CheckBudget(Make({})));
  EXPECT_TRUE(CheckBudget(Make({{"budget", path_}})));
  EXPECT_TRUE(CheckBudget(Make({{"budget", path_}, {"group", "north"}})));
  EXPECT_FALSE(CheckBudget(Make({{"group", "north"}})));
  EXPECT_FALSE(CheckBudget(Make({{"budget", path_}, {"seed", "1"}})));
  EXPECT_FALSE(CheckBudget(Make({{"budget", path_}, {"load", "s"}})));
  EXPECT_FALSE(CheckBudget(Make({{"budget", path_ + "x"}})));
}

}  // namespace
}  // namespace sotto
