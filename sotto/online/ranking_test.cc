#include "sotto/online/ranking.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

Plan Of(std::optional<Verdict> verdict, std::optional<double> mistakes) {
  return {.model = "a model",
          .parameters = {},
          .guarantee = *Guarantee::Create(
              {.epsilon = 1, .delta = 1e-6, .protects = "a row"}),
          .mistakes_expected = mistakes,
          .verdict = verdict,
          .horizon = 1000};
}

std::vector<std::string> Order(std::vector<NamedPlan> plans) {
  Rank(plans);
  std::vector<std::string> names;
  for (const NamedPlan& plan : plans) names.push_back(plan.model);
  return names;
}

TEST(RankingTest, AShareIsOfTheRoundsOrWhatLearningAdds) {
  EXPECT_EQ(ExpectedShare(Of({}, 10)), 0.01);
  Plan plan = Of({}, {});
  EXPECT_FALSE(ExpectedShare(plan));
  plan.excess_expected = 0.25;
  EXPECT_EQ(ExpectedShare(plan), 0.25);
  plan.mistakes_expected = 10;
  EXPECT_EQ(ExpectedShare(plan), 0.01);
}

TEST(RankingTest, WhatPresumesLessComesFirstAndWhatIsHopelessLast) {
  Plan presumes = Of(Verdict::kComfortable, 1);
  presumes.presumes = ForecastAssumption::kRule;
  Plan batch = Of({}, {});
  batch.samples_required = 5;
  EXPECT_EQ(Order({{"no", InvalidArgument("no")},
                   {"hopeless", Of(Verdict::kHopeless, 1)},
                   {"batch", batch},
                   {"presumes", presumes},
                   {"more", Of(Verdict::kComfortable, 300)},
                   {"fewer", Of(Verdict::kTight, 200)}}),
            (std::vector<std::string>{"fewer", "more", "presumes", "batch",
                                      "hopeless", "no"}));
}

TEST(RankingTest, SaysWhy) {
  Plan presumes = Of(Verdict::kComfortable, 1);
  presumes.presumes = ForecastAssumption::kRule;
  EXPECT_NE(RankingReason({"a", presumes}).find("never wrong"),
            std::string::npos);
  EXPECT_EQ(RankingReason({"a", InvalidArgument("because")}), "because");
  Plan hopeless = Of(Verdict::kHopeless, 1);
  hopeless.advice = {"more rounds"};
  EXPECT_EQ(RankingReason({"a", hopeless}), "more rounds");
}

}  // namespace
}  // namespace sotto
