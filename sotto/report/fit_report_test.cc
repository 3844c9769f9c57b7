#include "sotto/report/fit_report.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

FitReport Report(Relation relation) {
  FitReport report{
      .model = "greedy-cover",
      .fitted = {.model = {},
                 .text = "if \x1b[2Jcap = x then 1\nelse 0\n",
                 .guarantee = *Guarantee::Create({.relation = relation,
                                                  .epsilon = 1,
                                                  .delta = 1e-6,
                                                  .protects = "a row"}),
                 .parameters = Json::Object{{"rules", 40}},
                 .rows = 7},
      .seconds = 0.5};
  report.fitted.use.skipped.Add(FaultReason::kFields);
  return report;
}

TEST(FitReportTest, TellsTheNumberOfRowsWhereItIsPublic) {
  const Json json = FitJson(Report(Relation::kReplace));
  EXPECT_EQ(json.Find("rows")->natural(), 7U);
  EXPECT_EQ(json.Find("skipped")->natural(), 1U);
  EXPECT_EQ(json.Find("not_covered")->Dump(),
            R"(["seconds","skipped","bad_rows","refused","unnamed"])");
  EXPECT_EQ(json.Find("rows_withheld"), nullptr);
}

TEST(FitReportTest, WithholdsTheNumberOfRowsWhereARowMayBeMissing) {
  const Json json = FitJson(Report(Relation::kAddRemove));
  EXPECT_TRUE(json.Find("rows")->is_null());
  EXPECT_NE(json.Find("rows_withheld"), nullptr);
  EXPECT_EQ(json.Dump().find("7"), std::string::npos);
  EXPECT_EQ(FitNotes(Report(Relation::kAddRemove)).find("7"),
            std::string::npos);
}

TEST(FitReportTest, SaysWhatBecameOfBadRowsAndWhatIsPromised) {
  EXPECT_EQ(FitNotes(Report(Relation::kReplace)),
            "1 bad row: 1 wrong fields (a blank row stands for "
            "each; not covered by the guarantee)\n"
            "Privacy: (1, 1e-6)-differential privacy for one user with at "
            "most 1 record, against an adaptive adversary who sees everything "
            "released; neighbours: one record replaced by other data; "
            "protected: a row.\n");
}

TEST(FitReportTest, NamesBadRowsAndSaysWhoIsAUser) {
  FitReport report = Report(Relation::kReplace);
  report.fitted.use.first = {"t.csv, line 3: 1 field: expected 2"};
  report.fitted.use.over_limit = 1;
  report.fitted.use.unnamed = 7;
  const std::string notes = FitNotes(report);
  EXPECT_NE(notes.find("\n  t.csv, line 3: 1 field: expected 2\n1 row beyond "
                       "the first 1 of their user: empty places"),
            std::string::npos)
      << notes;
  EXPECT_NE(notes.find("7 rows without a user name: each counts as a user of "
                       "its own\n"),
            std::string::npos);
  const Json json = FitJson(report);
  EXPECT_EQ(json.Find("bad_rows")->Dump(),
            R"(["t.csv, line 3: 1 field: expected 2"])");
  EXPECT_EQ(json.Find("refused")->natural(), 1U);
  EXPECT_EQ(json.Find("unnamed")->natural(), 7U);
  // Where no row has a name, their number is that of the rows.
  report = Report(Relation::kAddRemove);
  report.fitted.use.unnamed = 7;
  EXPECT_EQ(FitJson(report).Dump().find("7"), std::string::npos);
  EXPECT_EQ(FitNotes(report).find("7"), std::string::npos);
}

TEST(FitReportTest, WarnsOfASeed) {
  FitReport report = Report(Relation::kReplace);
  EXPECT_EQ(FitWarning(report), "");
  report.seeded = true;
  EXPECT_TRUE(FitWarning(report).starts_with("NOT PRIVATE"));
  EXPECT_NE(FitNotes(report).find("Without the seed: (1, 1e-6)"),
            std::string::npos);
  EXPECT_FALSE(*FitJson(report).Find("private")->boolean());
}

TEST(FitReportTest, NoTextActsOnATerminal) {
  EXPECT_EQ(FitText(Report(Relation::kReplace)),
            "if ?[2Jcap = x then 1\nelse 0\n");
}

}  // namespace
}  // namespace sotto
