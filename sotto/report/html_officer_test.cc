#include "sotto/report/html_officer.h"

#include <gtest/gtest.h>

#include "sotto/report/html_report.h"
#include "sotto/report/report_test_run.h"
#include "sotto/report/svg_chart.h"

namespace sotto {
namespace {

using testing::Answered;
using testing::ReportAfter;

RunReport Report() {
  RunReport report = ReportAfter(
      {Answered(true, true), Answered(false, true), Answered(true, true)});
  report.facts.data = "shop.csv";
  report.facts.date = "2026-01-31";
  report.facts.version = "9.8.7";
  report.facts.columns = {"age", "<b>"};
  report.plain_mistakes = 0;
  return report;
}

bool Has(const std::string& page, std::string_view text) {
  return page.find(text) != std::string::npos;
}

TEST(OfficerPageTest, NamesDataDateVersionColumnsAndTheGuarantee) {
  const std::string page = OfficerPage(Report());
  for (const char* text :
       {"shop.csv", "2026-01-31", "Sotto 9.8.7", "age, &lt;b&gt;",
        "Who is protected", "From whom", "What is protected", "What is not",
        "What left the system", "Assumptions", "Open points", "Reviewed by"}) {
    EXPECT_TRUE(Has(page, text)) << text;
  }
  EXPECT_TRUE(Has(page, Escaped(Report().facts.guarantee.protects())));
}

TEST(OfficerPageTest, ShowsErrorsToTheOperatorOnly) {
  RunReport report = Report();
  EXPECT_TRUE(Has(OfficerPage(report), "1 (33.3"));
  EXPECT_TRUE(Has(OfficerPage(report), "without privacy"));
  report.public_only = true;
  EXPECT_FALSE(Has(OfficerPage(report), "33.3"));
  EXPECT_FALSE(Has(OfficerPage(report), "without privacy"));
}

TEST(OfficerPageTest, APublicPageDoesNotDependOnMistakes) {
  RunReport right = ReportAfter({Answered(true, true), Answered(true, true)});
  RunReport wrong = ReportAfter({Answered(false, true), Answered(true, true)});
  right.public_only = wrong.public_only = true;
  EXPECT_EQ(OfficerPage(right), OfficerPage(wrong));
}

TEST(OfficerPageTest, ListsWhatKeepsItFromBeingPrivate) {
  RunReport report = Report();
  EXPECT_TRUE(Has(OfficerPage(report), "<li>none</li>"));
  report.facts.seeded = true;
  report.facts.caveats = {"copies share nothing"};
  report.facts.columns.clear();
  const std::string page = OfficerPage(report);
  for (const char* text : {"NOT PRIVATE", "--seed", "copies share nothing",
                           "columns are not named"}) {
    EXPECT_TRUE(Has(page, text)) << text;
  }
}

TEST(OfficerPageTest, ComesFirstAndEndsAPrintedPage) {
  const std::string page = HtmlReport(Report());
  EXPECT_TRUE(Has(page, ".page{break-after:page}"));
  EXPECT_LT(page.find("Privacy report"), page.find("What happened"));
}

}  // namespace
}  // namespace sotto
