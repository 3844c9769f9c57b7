#include "sotto/report/html_report.h"

#include "sotto/accounting/rounding.h"
#include "sotto/base/number_text.h"
#include "sotto/report/figures.h"
#include "sotto/report/html_officer.h"
#include "sotto/report/html_page.h"
#include "sotto/report/html_parts.h"
#include "sotto/report/html_plots.h"
#include "sotto/report/html_published.h"
#include "sotto/report/public_run.h"
#include "sotto/report/svg_chart.h"

namespace sotto {
namespace {

std::string About(const PublicRun::Mistakes& count) {
  return "about " + WithCommas(static_cast<std::uint64_t>(count.now.mistakes));
}

std::string OwnFacts(const RunReport& report) {
  const RunStats::Point& now = report.stats.now;
  const std::string errors =
      report.facts.label.kind == LabelType::Kind::kNumber
          ? HeadlineNumber(
                Short(Ratio(now.error, static_cast<double>(now.labelled))),
                "mean absolute error (not covered)")
          : HeadlineNumber(CountAndShare(now.mistakes, now.labelled),
                           "mistakes (not covered)");
  return errors + HeadlineNumber(CountAndShare(now.paid, now.rounds),
                                 "paid rounds (not covered)");
}

std::string Facts(const RunReport& report, const PublicRun& shown) {
  std::string html = "<div class=\"facts\">" +
                     HeadlineNumber(WithCommas(shown.rounds), "rounds");
  if (!report.public_only) {
    html += OwnFacts(report);
  } else if (shown.mistakes) {
    html += HeadlineNumber(About(*shown.mistakes),
                           "mistakes, a private estimate within " +
                               WholeWithCommas(shown.mistakes->error));
  }
  return html + HeadlineNumber(WithCommas(shown.phases), "phases") + "</div>\n";
}

std::string Promise(const RunReport& report) {
  std::string html = "<h2>What is promised</h2>\n<div class=\"card\"><p>" +
                     Escaped(ExplainGuarantee(report.facts.guarantee)) +
                     "</p><ul>";
  for (const auto& sentence : PrivacyStatement(report)) {
    html += "<li>" + Escaped(sentence) + "</li>";
  }
  return html + "</ul></div>\n";
}

std::string Plots(const RunReport& report, const PublicRun& shown) {
  std::string html = "<h2>What happened</h2>\n";
  if (report.public_only) {
    html += shown.mistakes ? "<p>Mistakes are private estimates: this page may "
                             "be shown to anybody.</p>\n"
                           : "<p>How often it errs is not shown: there is no "
                             "private count of it. This page may be shown to "
                             "anybody.</p>\n";
  } else {
    html += Note(
        "The operator's own view: everything below is computed from labels or "
        "votes, is not covered by the guarantee, and is not for others to "
        "see.");
  }
  if (shown.rounds == 0) return html + "<p>No rounds.</p>\n";
  return html + (report.public_only ? PublicPlots(report.facts, shown)
                                    : OperatorPlots(report));
}

std::string Row(const std::string& name, const std::string& plan,
                const std::string& reality) {
  return "<tr><td>" + Escaped(name) + "</td><td class=\"n\">" + Escaped(plan) +
         "</td><td class=\"n\">" + Escaped(reality) + "</td></tr>";
}

std::string PlanTable(const RunReport& report, const PublicRun& shown) {
  const OnlineModel::Forecast& forecast = report.facts.forecast;
  if (!forecast.expected) return "";
  std::string mistakes;
  if (!report.public_only) {
    mistakes = WithCommas(report.stats.now.mistakes);
  } else if (shown.mistakes) {
    mistakes = About(*shown.mistakes);
  }
  const auto& horizon = report.facts.horizon;
  std::string html =
      "<h2>Plan and reality</h2>\n<div class=\"card\"><table><tr><th></th>"
      "<th class=\"n\">plan</th><th class=\"n\">this run</th></tr>" +
      Row("rounds", horizon ? WithCommas(*horizon) : "-",
          WithCommas(shown.rounds)) +
      Row("mistakes expected", WholeWithCommas(*forecast.expected), mistakes) +
      Row("mistakes, proved bound (probability " +
              BoundProbability(report.facts.parameters) + ")",
          forecast.bound ? WholeWithCommas(*forecast.bound) : "none",
          mistakes) +
      Row("verdict", forecast.verdict, "");
  if (!report.public_only && report.plain_mistakes) {
    html += Row("mistakes of the same learner without privacy", "",
                WithCommas(*report.plain_mistakes));
  }
  return html + "</table></div>\n";
}

}  // namespace

std::string HtmlReport(const RunReport& report) {
  const PublicRun shown = PublicPart(report);
  const RunFacts& facts = report.facts;
  std::string html = PageHead("Sotto: report of a run") + OfficerPage(report);
  html += "<h1>Sotto: " + Escaped(facts.model) +
          (facts.learner.empty() ? "" : " over " + Escaped(facts.learner)) +
          "</h1>\n";
  html += Facts(report, shown) + Promise(report) + Plots(report, shown) +
          PublishedOverTime(report) + PlanTable(report, shown) +
          Parameters(facts.parameters);
  return html + "</body></html>\n";
}

}  // namespace sotto
