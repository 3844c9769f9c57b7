#include "sotto/service/slot_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "sotto/models/registry/plan_all.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/shared_options.h"
#include "sotto/service/slot_cost.h"

namespace sotto {
namespace {

Settings MakeSettings(const OnlineModelEntry& entry) {
  Settings settings(
      ConcatOptions({PrivacyOptions(), StreamOptions(), entry.options}));
  for (const auto& [name, value] :
       {std::pair{"epsilon", "1"}, {"delta", "1e-6"}, {"horizon", "100000"}}) {
    EXPECT_TRUE(settings.Set(name, value));
  }
  return settings;
}

Plan MakePlan(const char* model, const SlotRequest& request) {
  const OnlineModelEntry& entry = *FindOnlineModel(model);
  const Settings settings = MakeSettings(entry);
  auto plan = PlanModel(entry, settings, nullptr);
  EXPECT_TRUE(plan);
  EXPECT_TRUE(AddSlots(entry, settings, request, *plan));
  return *std::move(plan);
}

double Number(const Plan& plan, const char* name) {
  const Json* const found = plan.more.Find("clock")->Find(name);
  return found == nullptr ? std::nan("") : found->number().value_or(NAN);
}

TEST(SlotPlanTest, AGroupThatIsHalfTakenHasBatchesTwiceAsLong) {
  const SlotClock clock{.rounds = 64, .seconds = 10};
  const Plan plan = MakePlan("tide", {.clock = clock, .rate = 3.2});
  EXPECT_NEAR(Number(plan, "share_expected"), 0.5, 1e-12);
  EXPECT_EQ(Number(plan, "delay_mean"), 5);
  EXPECT_NEAR(Number(plan, "hours"), 1e5 / 6.4 / 3600, 1e-9);
  const Json& options = *plan.more.Find("clock")->Find("options");
  for (const auto& [option, parameter] :
       {std::pair{"batch", "batch"}, {"start-rows", "start_rows"}}) {
    EXPECT_EQ(options.Find(option)->number(),
              2 * *plan.parameters.Find(parameter)->number());
  }
  EXPECT_NE(plan.table.find("measured on one stream"), std::string::npos);
  EXPECT_NE(plan.guarantee.Describe().find("whether a user came"),
            std::string::npos);
  EXPECT_EQ(plan.guarantee.epsilon(), 1);
}

TEST(SlotPlanTest, WhatIsNotKnownIsNotSaid) {
  const SlotClock clock{.rounds = 64, .seconds = 10};
  const Plan unknown = MakePlan("tide", {.clock = clock});
  EXPECT_TRUE(std::isnan(Number(unknown, "share_expected")));
  EXPECT_EQ(unknown.table.find("places taken"), std::string::npos);
  const Plan leader = MakePlan("leader", {.clock = clock, .rate = 1});
  EXPECT_NE(leader.table.find("not measured for leader"), std::string::npos);
}

TEST(SlotPlanTest, OtherModelsAreRefused) {
  const OnlineModelEntry& winnow = *FindOnlineModel("winnow");
  const Settings settings = MakeSettings(winnow);
  Plan plan = MakePlan("tide", {.clock = {.rounds = 4}});
  EXPECT_FALSE(AddSlots(winnow, settings, {.clock = {.rounds = 4}}, plan));
}

// Mean 2, three places: 1 - e^-2 (1 + 2 + 2).
TEST(SlotPlanTest, AFullGroupIsAPoissonTail) {
  EXPECT_NEAR(FullGroupProbability(2, 3), 1 - 5 * std::exp(-2), 1e-12);
  EXPECT_NEAR(FullGroupProbability(2, 1), 1 - std::exp(-2), 1e-12);
  EXPECT_EQ(FullGroupProbability(0, 3), 0);
  EXPECT_NEAR(FullGroupProbability(1000, 2), 1, 1e-12);
  // Far out the first term is nearly all: e^-1 / 30!.
  const double first = std::exp(-1 - std::lgamma(31));
  EXPECT_GT(FullGroupProbability(1, 30), first);
  EXPECT_LT(FullGroupProbability(1, 30), 1.04 * first);
}

TEST(SlotPlanTest, TheSuggestedPlacesAreTheFewestThatSuffice) {
  const double mean = 30;
  const Plan plan = MakePlan(
      "tide", {.clock = {.rounds = 64, .seconds = 10}, .rate = mean / 10});
  const auto enough =
      static_cast<std::uint64_t>(Number(plan, "places_for_a_year"));
  const double groups = 365.25 * 8640;
  EXPECT_LT(groups * FullGroupProbability(mean, enough), 1);
  EXPECT_GE(groups * FullGroupProbability(mean, enough - 1), 1);
}

TEST(SlotPlanTest, TheCostIsThatOfTheNextSmallerShareMeasured) {
  EXPECT_NE(OccupancyCost("tide", 0.6).find("50%"), std::string::npos);
  EXPECT_NE(OccupancyCost("tide", 0.3).find("25%"), std::string::npos);
  EXPECT_NE(OccupancyCost("tide", 0.01).find("with fewer it is more"),
            std::string::npos);
}

}  // namespace
}  // namespace sotto
