#include "sotto/report/html_report.h"

#include <gtest/gtest.h>

#include "sotto/report/report_test_run.h"
#include "sotto/report/svg_chart.h"

namespace sotto {
namespace {

using testing::Answered;
using testing::ReportAfter;

RunReport Long() {
  std::vector<Round> rounds;
  for (int i = 0; i < 200; ++i) {
    rounds.push_back(Answered(i % 5 == 0, true));
    rounds.back().phase = static_cast<std::uint64_t>(i / 80);
  }
  RunReport report = ReportAfter(rounds);
  report.facts.parameters["phases"] =
      Json::Array{Json::Object{{"copies", 9}, {"rate", 0.125}}};
  report.votes.push_back({3, 0.25});
  return report;
}

bool Has(const std::string& page, std::string_view text) {
  return page.find(text) != std::string::npos;
}

TEST(HtmlReportTest, IsOnePageWithoutScriptsOrAnythingFromOutside) {
  const std::string page = HtmlReport(Long());
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_TRUE(page.ends_with("</body></html>\n"));
  for (const char* bad : {"<script", "http:", "https:", "src=", "@import"}) {
    EXPECT_FALSE(Has(page, bad)) << bad;
  }
}

TEST(HtmlReportTest, ShowsThePlotsThePhasesAndTheParameters) {
  const std::string page = HtmlReport(Long());
  for (const char* text :
       {"Mistakes over time", "How often it errs", "Spread of the votes",
        "phase 3", "mistakes in 100 labelled rounds", "copies", "0.125",
        "the most frequent label, at the end"}) {
    EXPECT_TRUE(Has(page, text)) << text;
  }
}

TEST(HtmlReportTest, ShowsWhatWasPublishedOverTimeToAnybody) {
  RunReport report = Long();
  EXPECT_FALSE(Has(HtmlReport(report), "What was published"));
  const std::string promise = "Privacy: (1, 0)\n";
  report.published = {
      {21, "if x >= 0.5 then 1\nelse 0\n" + promise, {{"x", 0.5}}},
      {81, "if x >= 0.375 then 1\nelse <b>\n" + promise, {{"x", 0.375}}}};
  report.public_only = true;
  const std::string page = HtmlReport(report);
  for (const char* text : {"What was published", "if x &gt;= 0.375 then 1",
                           "&lt;b&gt;", "Where the published rule divides x"}) {
    EXPECT_TRUE(Has(page, text)) << text;
  }
  EXPECT_FALSE(Has(page, "Privacy: (1, 0)"));
  report.published.back().cut->column = "z";
  EXPECT_FALSE(Has(HtmlReport(report), "Where the published rule divides"));
}

TEST(HtmlReportTest, SaysWhatIsPublicAboutARoundAndWhatIsNot) {
  for (const bool public_only : {false, true}) {
    RunReport report = Long();
    report.public_only = public_only;
    const std::string page = HtmlReport(report);
    EXPECT_TRUE(Has(page, "took place, and under which name, is public"));
    EXPECT_FALSE(Has(page, "came at all"));
    EXPECT_EQ(Has(page, "operator&#39;s own view: everything below"),
              !public_only);
  }
}

TEST(HtmlReportTest, NamesFromOutsideAreText) {
  RunReport report = Long();
  report.facts.learner = "<b>&\"x\x1b[2J";
  const std::string page = HtmlReport(report);
  EXPECT_TRUE(Has(page, "over &lt;b&gt;&amp;&quot;x?[2J</h1>"));
}

TEST(HtmlReportTest, AnEmptyRunHasAPage) {
  EXPECT_TRUE(Has(HtmlReport(testing::EmptyReport()), "No rounds."));
}

TEST(SvgChartTest, DrawsNoPlaceThatIsNone) {
  Chart chart{.title = "t", .x_label = "x", .y_label = "y", .log_x = true};
  chart.series = {{"empty", "c1", {}}, {"flat", "c2", {{1, 0}, {10, 0}}}};
  chart.bands = {{1, 1, "none"}};
  const std::string svg = RenderChart(chart);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  const std::string density = RenderDensity({.title = "t",
                                             .x_label = "x",
                                             .y_label = "y",
                                             .x_max = 0,
                                             .y_max = 0.5,
                                             .points = {{1, 0.7}}});
  EXPECT_EQ(density.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace sotto
