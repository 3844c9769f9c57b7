#include "sotto/report/plan_report.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

Plan Online() {
  return {.model = "pop over threshold",
          .parameters = Json::Object{{"horizon", 1000}},
          .guarantee = *Guarantee::Create({.notion = Notion::kChallengeDp,
                                           .epsilon = 1,
                                           .delta = 1e-6,
                                           .protects = "a round"}),
          .mistakes_expected = 12.4,
          .verdict = Verdict::kTight,
          .advice = {"more rounds would help"},
          .caveats = {"A model of thresholds."},
          .more = Json::Object{{"learner", "threshold"}, {"advice", "twice"}},
          .table = "paid expected      7\n"};
}

Plan Batch() {
  Plan plan = Online();
  plan.guarantee =
      *Guarantee::Create({.epsilon = 1, .delta = 1e-6, .protects = "a row"});
  plan.mistakes_expected.reset();
  plan.samples_required = 1234.2;
  plan.verdict.reset();
  return plan;
}

TEST(PlanReportTest, SaysWhatIsExpectedAndProved) {
  EXPECT_EQ(PlanText(Online()),
            R"(model              pop over threshold
verdict            tight
mistakes expected  12 of 1,000 rounds (1.24 %)
mistakes, proved   no bound below the number of rounds
paid expected      7

Privacy: (1, 1e-06)-challenge differential privacy for one user with at most 1 round, against an adaptive adversary who sees every answer but the protected user's own; neighbours: one round replaced by other data, or left empty in its place; protected: a round.
It holds for any data and any number of rounds; only the mistakes depend on the stream.
A model of thresholds.
- more rounds would help
)");
}

TEST(PlanReportTest, ABoundSaysWithWhichProbabilityItHolds) {
  Plan plan = Online();
  plan.mistakes_bound = 99.2;
  EXPECT_NE(PlanText(plan).find("at most 100, with probability 95 %"),
            std::string::npos);
  plan.parameters["failure"] = 0.1;
  EXPECT_NE(PlanText(plan).find("at most 100, with probability 90 %"),
            std::string::npos);
}

TEST(PlanReportTest, OfATableSaysHowManyRowsAreNeeded) {
  const std::string text = PlanText(Batch());
  EXPECT_NE(text.find("verdict            none: not enough was said\n"
                      "samples required   1,235\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("any number of rounds"), std::string::npos);
  EXPECT_EQ(
      PlanJson("greedy-cover", Batch()).Find("samples_required")->number(),
      1234.2);
}

TEST(PlanReportTest, HasTheKeysThatStayAndSaysNothingTwice) {
  const std::string json = PlanJson("pop", Online()).Dump();
  EXPECT_TRUE(json.starts_with(
      R"({"model":"pop","parameters":{"horizon":1000},"guarantee":{)"))
      << json;
  EXPECT_TRUE(json.ends_with(
      R"("mistakes_bound":null,"mistakes_expected":12.4,"verdict":"tight",)"
      R"("advice":["more rounds would help"],)"
      R"("caveats":["A model of thresholds."],"learner":"threshold"})"))
      << json;
}

TEST(PlanReportTest, RanksTheMostPromisingFirst) {
  Plan good = Online();
  good.verdict = Verdict::kComfortable;
  Plan fewer = Online();
  fewer.mistakes_expected = 3;
  Plan hopeless = Online();
  hopeless.verdict = Verdict::kHopeless;
  std::vector<NamedPlan> plans = {{"no", InvalidArgument("--margin is needed")},
                                  {"hopeless", hopeless},
                                  {"batch", Batch()},
                                  {"more", Online()},
                                  {"fewer", fewer},
                                  {"good", good}};
  Rank(plans);
  EXPECT_EQ(PlansText(plans),
            "model            verdict      needs\n"
            "good             comfortable  about 12 mistakes\n"
            "fewer            tight        about 3 mistakes\n"
            "more             tight        about 12 mistakes\n"
            "batch            -            1,235 rows\n"
            "hopeless         hopeless     about 12 mistakes\n"
            "no               -            --margin is needed\n");
  const Json json = PlansJson(plans);
  ASSERT_EQ(json.Find("models")->array()->size(), 6U);
  EXPECT_EQ(json.Find("models")->array()->back().Dump(),
            R"({"model":"no","error":"--margin is needed"})");
}

TEST(PlanReportTest, NoTextActsOnATerminal) {
  Plan plan = Online();
  plan.table = "\x1b[2J\n";
  EXPECT_EQ(PlanText(plan).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace sotto
