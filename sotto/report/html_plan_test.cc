#include "sotto/report/html_plan.h"

#include <gtest/gtest.h>

#include <vector>

namespace sotto {
namespace {

Plan Online() {
  return {.model = "pop over <threshold>",
          .parameters = Json::Object{{"copies", 1000}},
          .guarantee = *Guarantee::Create({.notion = Notion::kChallengeDp,
                                           .epsilon = 1,
                                           .delta = 1e-6,
                                           .protects = "a round"}),
          .mistakes_expected = 12.4,
          .mistakes_bound = 345,
          .verdict = Verdict::kTight,
          .advice = {"more rounds would help"},
          .horizon = 1000};
}

bool Has(const std::string& page, std::string_view words) {
  return page.find(words) != std::string::npos;
}

TEST(HtmlPlanTest, ShowsWhatIsExpectedAndProvedBesideACoin) {
  const std::string page = PlanPage("pop", Online());
  for (const char* words :
       {"<svg", "expected at the horizon", "proved bound", "by a coin", "345",
        "tight", "more rounds would help", "copies", "&lt;threshold&gt;"}) {
    EXPECT_TRUE(Has(page, words)) << words;
  }
  EXPECT_FALSE(Has(page, "<threshold>"));
}

TEST(HtmlPlanTest, DrawsNothingWhereNothingIsExpected) {
  Plan plan = Online();
  plan.mistakes_expected.reset();
  EXPECT_FALSE(Has(PlanPage("pop", plan), "<svg"));
  plan.excess_expected = 0.03;
  EXPECT_TRUE(Has(PlanPage("pop", plan), "beside those of the best rule"));
  plan.mistakes_bound = 2000;  // more than there are rounds
  EXPECT_FALSE(Has(PlanPage("pop", plan), "proved bound<"));
}

TEST(HtmlPlanTest, RanksModelsWithABarForEach) {
  Plan batch = Online();
  batch.samples_required = 1234.2;
  const std::vector<NamedPlan> plans = {
      {"pop", Online()},
      {"tree", batch},
      {"winnow", InvalidArgument("--margin is needed")}};
  const std::string page = PlansPage(plans);
  for (const char* words :
       {"class=\"cell\"", "1.24%", "1,235 rows", "not applicable", "winnow"}) {
    EXPECT_TRUE(Has(page, words)) << words;
  }
  EXPECT_LT(page.find("<b>pop"), page.find("<b>tree"));
}

}  // namespace
}  // namespace sotto
