#include "sotto/report/plan_report.h"

#include <gtest/gtest.h>

#include <limits>

#include "sotto/report/plan_summary.h"

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
          .table = "paid expected      7\n",
          .horizon = 1000};
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
mistakes expected  12 of 1,000 rounds (1.24%)
mistakes, proved   no bound below the number of rounds
paid expected      7

Privacy: (1, 1e-6)-challenge differential privacy for one user with at most 1 round, against an adaptive adversary who sees every answer but the protected user's own; neighbours: one round replaced by other data, or left empty in its place; protected: a round.
It holds for any data and any number of rounds; only the mistakes depend on the stream.
A model of thresholds.
- more rounds would help
)");
}

TEST(PlanReportTest, AVerdictThatPresumesARuleSaysSo) {
  Plan plan = Online();
  plan.presumes = ForecastAssumption::kRule;
  EXPECT_NE(
      PlanText(plan).find("depends: tight if one simple rule fits the labels"),
      std::string::npos);
  plan.verdict = Verdict::kHopeless;
  EXPECT_EQ(PlanText(plan).find("if one simple rule"), std::string::npos);
}

TEST(PlanReportTest, ABoundSaysWithWhichProbabilityItHolds) {
  Plan plan = Online();
  plan.mistakes_bound = 99.2;
  EXPECT_NE(PlanText(plan).find("at most 100, with probability 95%"),
            std::string::npos);
  plan.parameters["failure"] = 0.1;
  EXPECT_NE(PlanText(plan).find("at most 100, with probability 90%"),
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

TEST(PlanReportTest, OfATableSaysWhereNoNumberOfRowsSuffices) {
  Plan plan = Batch();
  plan.samples_required = std::numeric_limits<double>::infinity();
  EXPECT_NE(PlanText(plan).find("samples required   no number suffices\n"),
            std::string::npos);
  EXPECT_EQ(PlanJson("greedy-cover", plan).Find("samples_required")->Dump(),
            "null");
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

TEST(PlanReportTest, ListsPlansWithWhatTheyPromiseAndWhy) {
  Plan tide = Online();
  tide.mistakes_expected.reset();
  tide.excess_expected = 0.0123;
  tide.promise = "nothing proved";
  tide.publishes = "weights";
  Plan rule = Online();
  rule.presumes = ForecastAssumption::kRule;
  const std::vector<NamedPlan> plans = {
      {"tide", tide},
      {"pop", rule},
      {"batch", Batch()},
      {"no", InvalidArgument("--margin is needed")}};
  const std::string text = PlansText(plans);
  EXPECT_EQ(text.substr(0, text.find("\nWhy")),
            "model         verdict      expected error   publishes  promised "
            "for\n"
            "tide          tight        noise + 1.23%    weights    nothing "
            "proved\n"
            "pop           depends      1.24%                       \n"
            "batch         -            1,235 rows                  \n"
            "no            not applicable\n");
  EXPECT_NE(text.find("no: --margin is needed\n"), std::string::npos);
  const Json json = PlansJson(plans);
  const auto& list = *json.Find("models")->array();
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(list[0].Find("expected_error")->Dump(), "null");
  EXPECT_EQ(list[0].Find("excess_expected")->number(), 0.0123);
  EXPECT_EQ(list[0].Find("assumes")->Dump(), R"("none")");
  EXPECT_EQ(list[1].Find("assumes")->Dump(), R"("rule")");
  EXPECT_EQ(list[1].Find("verdict")->Dump(), R"("depends")");
  EXPECT_EQ(list[1].Find("kind")->Dump(), R"("online")");
  EXPECT_EQ(list[0].Find("publishes")->Dump(), R"("weights")");
  EXPECT_NE(list[1].Find("why")->Dump().find("never wrong"), std::string::npos);
  EXPECT_EQ(list[3].Dump(), R"({"model":"no","kind":"online",)"
                            R"("not_applicable":"--margin is needed",)"
                            R"("error":"--margin is needed"})");
}

TEST(PlanReportTest, TheSummaryCallsNothingComfortableThatPresumesARule) {
  Plan tide = Online();
  tide.mistakes_expected.reset();
  tide.excess_expected = 0.009;
  tide.verdict = Verdict::kComfortable;
  tide.publishes = "weights";
  Plan winnow = Online();
  winnow.presumes = ForecastAssumption::kMargin;
  winnow.verdict = Verdict::kComfortable;
  Plan useless = Online();
  useless.verdict = Verdict::kHopeless;
  const std::vector<NamedPlan> plans = {
      {"tide", tide},
      {"winnow", winnow},
      {"pop", useless},
      {"stumps", Batch(), ModelKind::kTrained},
      {"tree", Batch(), ModelKind::kBatch},
      {"points", InvalidArgument("repeated rows")}};
  EXPECT_EQ(
      PlanSummary(plans, {"1,000 rounds, epsilon 1", "--epsilon 1"}),
      "1,000 rounds, epsilon 1. No data read.\n\n"
      "model        verdict      expected error                             "
      "publishes\n"
      "tide         comfortable  best possible + 0.90 points                "
      "weights\n"
      "winnow       depends      1.2% if a margin separates the labels      "
      "\n"
      "\nWhat 'depends' stands on few tables have. State it if yours does: "
      "--label-noise 0 (a rule\nfits the labels), --margin M of a model.\n"
      "\nRun it:  sotto run tide --epsilon 1 -d FILE\n\n"
      "Not useful here        pop\n"
      "Need a training set    stumps (1,235 rows)\n"
      "Batch, sotto fit       tree (1,235 rows)\n"
      "Need other input       points\n"
      "Reasons and bounds: --all\n");
}

TEST(PlanReportTest, NoTextActsOnATerminal) {
  Plan plan = Online();
  plan.table = "\x1b[2J\n";
  EXPECT_EQ(PlanText(plan).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace sotto
