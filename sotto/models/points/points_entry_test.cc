#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

#include "sotto/data/streams/schema.h"
#include "sotto/models/adapter/entries.h"
#include "sotto/models/points/points_options.h"
#include "sotto/online/shared_options.h"

namespace sotto {
namespace {

using Said = std::initializer_list<std::pair<const char*, const char*>>;

Settings Of(Said said) {
  Settings settings(ConcatOptions(
      {PrivacyOptions(), StreamOptions(), PointsEntry().options}));
  EXPECT_TRUE(settings.Set("epsilon", "3"));
  EXPECT_TRUE(settings.Set("delta", "1e-6"));
  for (const auto& [name, value] : said) {
    EXPECT_TRUE(settings.Set(name, value));
  }
  return settings;
}

Result<Plan> PlanFor(Said said) {
  return PointsEntry().plan(Of(said), nullptr);
}

TEST(PointsEntryTest, MistakesDoNotGrowWithTheRounds) {
  const auto some = PlanFor({{"horizon", "1e5"}});
  const auto many = PlanFor({{"horizon", "1e12"}});
  ASSERT_TRUE(some && many);
  EXPECT_EQ(*some->mistakes_expected, *many->mistakes_expected);
  EXPECT_LT(*some->mistakes_expected, 60);
  EXPECT_FALSE(some->mistakes_bound);  // of how many points was not said
  EXPECT_EQ(some->presumes, ForecastAssumption::kMargin);
  const auto one = PlanFor({{"horizon", "1e5"}, {"points", "1"}});
  ASSERT_TRUE(one);
  EXPECT_GT(*one->mistakes_bound, *one->mistakes_expected);
  EXPECT_EQ(one->presumes, ForecastAssumption::kNothing);
  const auto five = PlanFor({{"horizon", "1e5"}, {"points", "5"}});
  ASSERT_TRUE(five);
  EXPECT_DOUBLE_EQ(*five->mistakes_bound, 5 * *one->mistakes_bound);
  EXPECT_EQ(*some->verdict, Verdict::kComfortable);
}

TEST(PointsEntryTest, EveryPointCostsTheSame) {
  const auto one = PlanFor({{"horizon", "1e7"}});
  const auto ten = PlanFor({{"horizon", "1e7"}, {"points", "10"}});
  ASSERT_TRUE(one && ten);
  EXPECT_DOUBLE_EQ(*ten->mistakes_expected, 10 * *one->mistakes_expected);
}

TEST(PointsEntryTest, SaysWhatIsHopeless) {
  const auto few = PlanFor({{"horizon", "1000"}});
  ASSERT_TRUE(few);
  EXPECT_EQ(*few->verdict, Verdict::kHopeless);
  EXPECT_FALSE(few->advice.empty());
  const auto unlabelled = PlanFor({{"horizon", "1e7"}, {"label-rate", "0.4"}});
  ASSERT_TRUE(unlabelled);
  EXPECT_EQ(*unlabelled->verdict, Verdict::kHopeless);
  const auto noisy = PlanFor({{"horizon", "1e7"}, {"noise", "0.05"}});
  ASSERT_TRUE(noisy);
  EXPECT_EQ(*noisy->verdict, Verdict::kComfortable);
  EXPECT_GT(*noisy->mistakes_expected, 5e5);
}

TEST(PointsEntryTest, PromisesAtMostWhatWasAskedForInEitherRelation) {
  for (const char* relation : {"replace", "add-remove"}) {
    const auto plan = PlanFor({{"relation", relation}});
    ASSERT_TRUE(plan);
    EXPECT_LE(plan->guarantee.epsilon(), 3);
    EXPECT_GT(plan->guarantee.epsilon(), 2.9);
    EXPECT_LE(plan->guarantee.delta(), 1e-6);
    EXPECT_EQ(ToString(plan->guarantee.relation()), relation);
  }
}

TEST(PointsEntryTest, RefusesWhatItCannotDo) {
  EXPECT_FALSE(PlanFor({{"delta", "0"}}));
  EXPECT_FALSE(PlanFor({{"epsilon", "0.05"}}));
  EXPECT_FALSE(PlanFor({{"constants", "printed"}}));
  EXPECT_FALSE(PlanFor({{"calibration", "paper"}, {"constant", "2"}}));
  EXPECT_FALSE(PlanFor({{"calibration", "paper"}, {"epsilon", "0.4"}}));
  EXPECT_FALSE(PlanFor({{"label-delay", "5"}, {"patience", "3"}}));
}

TEST(PointsEntryTest, ThePaperIsPlannedWithBothSetsOfNumbers) {
  for (const char* constants : {"printed", "least"}) {
    const auto plan = PlanFor({{"calibration", "paper"},
                               {"constants", constants},
                               {"horizon", "1e6"}});
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_LE(plan->guarantee.epsilon(), 3);
    EXPECT_LE(plan->guarantee.delta(), 1e-6);
    const auto mistakes = [](const Json& numbers) {
      const Json* found = numbers.Find("mistakes_at_the_point");
      return found == nullptr ? 0 : found->number().value_or(0);
    };
    const double printed = mistakes(*plan->more.Find("printed"));
    const double least = mistakes(*plan->more.Find("least"));
    EXPECT_GT(printed, 3 * least);
    EXPECT_EQ(mistakes(plan->parameters),
              constants[0] == 'p' ? printed : least);
  }
  const auto two =
      PlanFor({{"calibration", "paper"}, {"horizon", "1e6"}, {"points", "2"}});
  ASSERT_TRUE(two);
  EXPECT_EQ(*two->verdict, Verdict::kHopeless);
}

// The guarantee comes from the accountant: a k that is too small is refused.
TEST(PointsEntryTest, PrintedNumbersThatCostMoreAreRefused) {
  const auto refused = PlanFor({{"calibration", "paper"},
                                {"constants", "printed"},
                                {"constant", "0.05"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBudgetExhausted);
}

TEST(PointsEntryTest, IsOfferedUnaskedOnlyForOneCategory) {
  const auto suits = [](const char* columns) {
    InputSpec inputs;
    inputs.schema = std::make_shared<const Schema>(
        *Schema::Parse(std::string(R"({"columns":[)") + columns + "]}", "x"));
    Settings settings = Of({});
    return PointsEntry()
        .choose_defaults(inputs, settings, settings)
        .has_value();
  };
  EXPECT_TRUE(suits(R"({"name":"a","type":"category","values":["u","v"]})"));
  EXPECT_FALSE(suits(R"({"name":"a","type":"number","range":[0,1]})"));
}

}  // namespace
}  // namespace sotto
