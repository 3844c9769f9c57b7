#include "sotto/models/registry/plan_all.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "sotto/data/streams/schema.h"

namespace sotto {
namespace {

using Said = std::initializer_list<std::pair<const char*, const char*>>;

Settings Facts(Said said) {
  Settings facts(FactOptions());
  EXPECT_TRUE(facts.Set("epsilon", "1"));
  EXPECT_TRUE(facts.Set("delta", "1e-6"));
  EXPECT_TRUE(facts.Set("horizon", "50000"));
  for (const auto& [name, value] : said) EXPECT_TRUE(facts.Set(name, value));
  return facts;
}

InputSpec Of(const std::string& label) {
  return *MakeInputSpec(*Schema::Parse(
      R"({"columns":[{"name":"age","type":"number","range":[0,120]},)"
      R"({"name":"job","type":"category","values":["a","b","c"]}],)"
      R"("label":{"column":"y",)" +
          label + "}}",
      "a test"));
}

constexpr const char* kTwo = R"("negative":"no","positive":"yes")";

TEST(PlanAllTest, ForATableTideComesFirst) {
  const InputSpec inputs = Of(kTwo);
  const auto plans = PlanAll(Facts({}), &inputs);
  EXPECT_EQ(plans.front().model, "tide");
  ASSERT_TRUE(plans.front().plan);
  EXPECT_EQ(plans.front().plan->publishes, "weights");
  EXPECT_FALSE(plans.front().plan->mistakes_expected);
  EXPECT_GT(plans.front().plan->excess_expected, 0.001);
}

TEST(PlanAllTest, NoiseIsPartOfWhatIsExpected) {
  const InputSpec inputs = Of(kTwo);
  const auto plans = PlanAll(Facts({{"noise", "0.15"}}), &inputs);
  ASSERT_EQ(plans.front().model, "tide");
  const Plan& plan = *plans.front().plan;
  EXPECT_DOUBLE_EQ(*plan.mistakes_expected,
                   (0.15 + *plan.excess_expected) * 50'000);
}

TEST(PlanAllTest, FewerLabelsAreFewerRounds) {
  const InputSpec inputs = Of(kTwo);
  const auto all = PlanAll(Facts({}), &inputs);
  const auto some = PlanAll(Facts({{"label-rate", "0.25"}}), &inputs);
  EXPECT_DOUBLE_EQ(*some.front().plan->excess_expected,
                   2 * *all.front().plan->excess_expected);
}

TEST(PlanAllTest, AModelThatTakesOtherLabelsCannotBeHad) {
  const InputSpec inputs = Of(R"("classes":["a","b","c"])");
  const auto plans = PlanAll(Facts({}), &inputs);
  EXPECT_EQ(plans.front().model, "tide");
  EXPECT_FALSE(plans.back().plan);
}

TEST(PlanAllTest, ADeltaAboveOneInTheRoundsIsWarnedOf) {
  const InputSpec inputs = Of(kTwo);
  const auto warned = [&](const char* delta) {
    const auto plans = PlanAll(Facts({{"delta", delta}}), &inputs);
    for (const std::string& caveat : plans.front().plan->caveats) {
      if (caveat.starts_with("Warning: delta")) return true;
    }
    return false;
  };
  EXPECT_TRUE(warned("1e-3"));
  EXPECT_FALSE(warned("1e-6"));
}

TEST(PlanAllTest, ForOneNumberAndARuleThatIsNeverWrongTheLeaderComesFirst) {
  const InputSpec inputs = *MakeInputSpec(*Schema::Parse(
      R"({"columns":[{"name":"x","type":"number","range":[0,1]}]})", "a test"));
  EXPECT_EQ(PlanAll(Facts({{"noise", "0"}}), &inputs).front().model, "leader");
}

}  // namespace
}  // namespace sotto
