#include "sotto/report/run_report.h"

#include <gtest/gtest.h>

#include <set>

#include "sotto/report/report_test_run.h"

namespace sotto {
namespace {

using testing::Answered;
using testing::ReportAfter;

const LabelType kPrice{.kind = LabelType::Kind::kNumber, .low = 0, .high = 10};

RunReport Small() {
  RunReport report = ReportAfter({Answered(true, true),
                                  Answered(true, false),
                                  Answered(false, false),
                                  {.prediction = Label(true), .paid = true},
                                  {.presence = Presence::kAbsent},
                                  {.presence = Presence::kUnusable},
                                  {.presence = Presence::kRefused}});
  report.seconds = 0.5;
  report.played_now = 7;
  report.skipped.Add(FaultReason::kLabel);
  return report;
}

std::set<std::string> Keys(const Json& json) {
  std::set<std::string> keys;
  for (const auto& [name, value] : *json.object()) keys.insert(name);
  return keys;
}

TEST(RunReportTest, SaysWhatHappenedToTheOperator) {
  const std::string text = RunText(Small());
  EXPECT_EQ(text.substr(0, text.find("Privacy:")), R"(
model              pop over threshold, 9 copies
rounds             7
mistakes           1 (33.3%) (the operator's own view)
label 0            1 predicted 0, 1 predicted 1
label 1            0 predicted 0, 1 predicted 1
without features   2 (66.7%) by saying the most frequent label so far
                   2 (66.7%) by repeating the last label
rounds with label  3
paid rounds        1 (14.3%)
absent             1 (nobody came)
unusable           1 (their rows could not be used)
refused            1 (their users had none left)
phases             1
bad rows           1 bad row: 1 unknown label
time               0.50 s, 14 rounds/s

)");
}

TEST(RunReportTest, NamesTheFirstBadRowsToTheOperatorAlone) {
  RunReport report = Small();
  report.skipped.Add(FaultReason::kLabel);
  report.skipped.places = {"a.csv, line 7: 'z': expected 0 or 1"};
  const std::string text = RunText(report);
  EXPECT_NE(text.find("a.csv, line 7"), std::string::npos);
  EXPECT_NE(text.find("...\n"), std::string::npos);
  EXPECT_NE(RunJson(report).Dump().find("a.csv, line 7"), std::string::npos);
  report.public_only = true;
  EXPECT_EQ(RunText(report).find("a.csv"), std::string::npos);
  EXPECT_EQ(RunJson(report).Dump().find("a.csv"), std::string::npos);
}

TEST(RunReportTest, StatesWhatIsPromisedInTwoLines) {
  EXPECT_EQ(StatementText(Small()),
            "Privacy: challenge differential privacy, epsilon 1, delta 1e-6, "
            "for each user (1 round). Covers every other user's predictions.\n"
            "  That a user came is public; what they sent is protected. Not "
            "covered: the metrics above and logs of predictions (operator "
            "only). In full: --json, --report.\n");
}

TEST(RunReportTest, StatesItInFull) {
  std::string full;
  for (const std::string& sentence : PrivacyStatement(Small())) {
    full += sentence + "\n";
  }
  EXPECT_EQ(
      full,
      "(1, 1e-6)-challenge differential privacy for one user with at "
      "most 1 round, against an adaptive adversary who sees every answer but "
      "the protected user's own; neighbours: one round replaced by other data, "
      "or left empty in its place; protected: a user's features and label.\n"
      "That a round took place, and under which name, is public. What it "
      "held, and whether it held anything, is protected.\n"
      "The same numbers hold if neighbours are rounds present or absent: a "
      "replacement may be nothing, in its place.\n"
      "The guarantee is computational: the noise is ChaCha20 under a secret "
      "key. It depends on no horizon and on nothing in the data.\n"
      "Each prediction is for its own user only. Mistakes, errors, paid "
      "rounds, who came and all else computed from what users brought are the "
      "operator's own view and are not covered.\n");
}

TEST(RunReportTest, ASeedIsSaidFirst) {
  RunReport report = Small();
  report.facts.seeded = true;
  EXPECT_TRUE(StatementText(report).starts_with("Privacy: NOT PRIVATE"));
  EXPECT_EQ(*RunJson(report).Find("private")->boolean(), false);
}

TEST(RunReportTest, HasTheKeysThatStay) {
  RunReport report = Small();
  report.plain_mistakes = 2;
  const std::set<std::string> stable = {
      "model",       "learner",           "rounds",    "mistakes", "paid",
      "phases",      "halted_at",         "guarantee", "parts",    "parameters",
      "seconds",     "rounds_per_second", "private",   "public",   "plan",
      "interrupted", "statement"};
  std::set<std::string> own = stable;
  own.insert({"answered", "labelled", "absent", "unusable", "refused",
              "baselines", "skipped", "skipped_by_reason", "phase_ends",
              "non_private_mistakes", "not_covered", "confusion", "labels"});
  EXPECT_EQ(Keys(RunJson(report)), own);
  report.public_only = true;
  EXPECT_EQ(Keys(RunJson(report)), stable);
  report.count = MistakeCount{.error = 12.5, .counted = 7};
  std::set<std::string> counted = stable;
  counted.insert("mistakes_error");
  EXPECT_EQ(Keys(RunJson(report)), counted);
}

TEST(RunReportTest, NamesAllThatIsNotCovered) {
  const Json json = RunJson(Small());
  std::set<std::string> named;
  for (const Json& name : *json.Find("not_covered")->array()) {
    named.insert(*name.text());
    EXPECT_NE(json.Find(*name.text()), nullptr) << *name.text();
  }
  for (const char* own : {"mistakes", "paid", "labelled", "refused", "absent",
                          "unusable", "baselines", "phase_ends", "skipped"}) {
    EXPECT_TRUE(named.contains(own)) << own;
  }
}

TEST(RunReportTest, GivesCountsAndBaselinesToMachines) {
  const Json json = RunJson(Small());
  EXPECT_EQ(json.Find("rounds")->natural(), 7U);
  EXPECT_EQ(json.Find("mistakes")->natural(), 1U);
  EXPECT_EQ(json.Find("labelled")->natural(), 3U);
  EXPECT_EQ(json.Find("baselines")->Dump(), R"({"majority":2,"last_label":2})");
  EXPECT_EQ(json.Find("skipped_by_reason")->Dump(), R"({"unknown label":1})");
  EXPECT_TRUE(json.Find("halted_at")->is_null());
}

TEST(RunReportTest, TellsPlainlyWhenTheModelIsOfNoUse) {
  EXPECT_EQ(RunText(Small()).find("WORSE"), std::string::npos);
  const RunReport bad = ReportAfter(
      {Answered(true, false), Answered(true, false), Answered(true, false)});
  EXPECT_NE(RunText(bad).find(
                "WORSE THAN THAT    The model errs more than saying the most "
                "frequent label so far would: so far it is of no use on this "
                "stream."),
            std::string::npos)
      << RunText(bad);
  RunReport shown = bad;
  shown.public_only = true;
  EXPECT_EQ(RunText(shown).find("WORSE"), std::string::npos);
}

TEST(RunReportTest, GivesNumbersTheirMeanAbsoluteError) {
  const RunReport report =
      ReportAfter({{.y = Label::OfNumber(4), .prediction = Label::OfNumber(5)},
                   {.y = Label::OfNumber(7), .prediction = Label::OfNumber(5)},
                   {.prediction = Label::OfNumber(5)}},
                  kPrice);
  const Json json = RunJson(report);
  EXPECT_TRUE(json.Find("mistakes")->is_null());
  EXPECT_EQ(json.Find("mean_absolute_error")->number(), 1.5);
  EXPECT_EQ(json.Find("baselines")->Dump(),
            R"({"majority":2.0,"last_label":2.0})");
  EXPECT_NE(RunText(report).find("mean abs. error    1.5 (the operator's"),
            std::string::npos);
}

TEST(RunReportTest, GivesTheLogLossWhereThereAreProbabilities) {
  const RunReport report = ReportAfter(
      {{.y = Label(true), .prediction = Label(true), .probability = 0.5}});
  EXPECT_NEAR(*RunJson(report).Find("log_loss")->number(), 0.693147, 1e-6);
}

TEST(RunReportTest, NoTextActsOnATerminal) {
  RunReport report = Small();
  report.facts.in_words = "pop over \x1b[2J\x07learner";
  report.facts.caveats = {"trusts \x1b]0;title\x07 it"};
  const std::string text = RunText(report);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
  EXPECT_NE(text.find("pop over ?[2J?learner"), std::string::npos);
}

TEST(RunReportTest, InPlainWordsARoundIsPublicAndWhatItHeldIsNot) {
  const std::string words = ExplainGuarantee(Small().facts.guarantee);
  EXPECT_NE(words.find("That the user's round took place, and under which "
                       "name, is public; what it held, and whether it held "
                       "anything, is protected."),
            std::string::npos);
  EXPECT_NE(words.find("a factor of at most 2.7183, plus 1e-6 (delta)"),
            std::string::npos)
      << words;
}

}  // namespace
}  // namespace sotto
