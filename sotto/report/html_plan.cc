#include "sotto/report/html_plan.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/accounting/rounding.h"
#include "sotto/base/number_text.h"
#include "sotto/report/figures.h"
#include "sotto/report/html_page.h"
#include "sotto/report/html_parts.h"
#include "sotto/report/svg_chart.h"

namespace sotto {
namespace {

std::string ChooseVerdict(const Plan& plan) {
  return VerdictName(plan).value_or("none");
}

std::string Facts(const Plan& plan) {
  std::string html =
      "<div class=\"facts\">" + HeadlineNumber(ChooseVerdict(plan), "verdict");
  if (plan.mistakes_expected) {
    html += HeadlineNumber(WholeWithCommas(*plan.mistakes_expected),
                           "mistakes expected");
  } else if (plan.excess_expected) {
    html += HeadlineNumber(Percent(*plan.excess_expected),
                           "of rounds wrong, beside those of the best rule");
  }
  if (plan.mistakes_bound) {
    html += HeadlineNumber(WholeWithCommas(std::ceil(*plan.mistakes_bound)),
                           "mistakes at most, with probability " +
                               BoundProbability(plan.parameters));
  }
  if (plan.samples_required) {
    html += HeadlineNumber(WholeWithCommas(std::ceil(*plan.samples_required)),
                           "rows required");
  }
  html += HeadlineNumber("(" + TextUp(plan.guarantee.epsilon()) + ", " +
                             TextUp(plan.guarantee.delta()) + ")",
                         "epsilon, delta for each user");
  return html + "</div>\n";
}

// The expected cost over the rounds of the plan. Empty if that is not a number.
std::string PlanChart(const Plan& plan) {
  const double rounds = plan.horizon;
  std::optional<double> expected = plan.mistakes_expected;
  const bool excess = !expected && plan.excess_expected;
  if (excess) expected = *plan.excess_expected * rounds;
  if (!(rounds > 0) || !expected) return "";
  const auto level = [&](const char* name, const char* css, double height) {
    return ChartSeries{name, css, {{0, height}, {rounds, height}}};
  };
  Chart chart{
      .title = "Mistakes the plan speaks of",
      .x_label = "rounds",
      .y_label = "mistakes so far",
      .series = {level(excess ? "expected, beside those of the best rule"
                              : "expected at the horizon",
                       "c1", *expected)}};
  if (plan.mistakes_bound && *plan.mistakes_bound < rounds) {
    chart.series.push_back(level("proved bound", "c2", *plan.mistakes_bound));
  }
  chart.series.push_back({"by a coin", "c5", {{0, 0}, {rounds, rounds / 2}}});
  return "<div class=\"card\">" + RenderChart(chart) + "</div>\n";
}

std::string Promise(const Plan& plan) {
  std::string html = "<h2>What is promised</h2>\n<div class=\"card\"><p>" +
                     Escaped(plan.guarantee.Describe()) + "</p><ul>";
  for (const auto& sentences : {plan.caveats, plan.advice}) {
    for (const std::string& sentence : sentences) {
      html += "<li>" + Escaped(sentence) + "</li>";
    }
  }
  return html + "</ul></div>\n";
}

// A share of rounds, on a scale of a half.
std::string Bar(double share) {
  const double width = std::clamp(200 * share, 1.0, 100.0);
  return R"(<svg viewBox="0 0 100 8" style="width:120px;height:10px" role="img" )"
         R"(aria-label="expected error"><rect class="cell" height="8" width=")" +
         std::to_string(width) + "\"/></svg>";
}

std::string ExpectedCell(const Plan& plan) {
  if (plan.samples_required) {
    return Escaped(WholeWithCommas(std::ceil(*plan.samples_required)) +
                   " rows");
  }
  const auto share = ExpectedShare(plan);
  if (!share) return "-";
  return Bar(*share) +
         Escaped((plan.mistakes_expected ? "" : "noise + ") + Percent(*share));
}

std::string FormatRow(const NamedPlan& named) {
  std::string html = "<tr><td><b>" + Escaped(named.model) + "</b></td>";
  if (named.plan) {
    html += "<td>" + Escaped(ChooseVerdict(*named.plan)) + "</td><td>" +
            ExpectedCell(*named.plan) + "</td><td>" +
            Escaped(named.plan->publishes) + "</td>";
  } else {
    html += "<td>not applicable</td><td></td><td></td>";
  }
  return html + "<td>" + Escaped(RankingReason(named)) + "</td></tr>\n";
}

}  // namespace

std::string PlanPage(std::string_view model, const Plan& plan) {
  return PageHead("Sotto: a plan") + "<h1>Sotto: a plan of " + Escaped(model) +
         "</h1>\n<p>" + Escaped(plan.model) + "</p>\n" + Facts(plan) +
         PlanChart(plan) + Promise(plan) + Parameters(plan.parameters) +
         "</body></html>\n";
}

std::string PlansPage(std::span<const NamedPlan> plans) {
  std::string html =
      PageHead("Sotto: plans") +
      "<h1>Sotto: which model</h1>\n<div class=\"card\"><table><tr>"
      "<th>model</th><th>verdict</th><th>expected error</th>"
      "<th>publishes</th><th>why there</th></tr>\n";
  for (const NamedPlan& named : plans) html += FormatRow(named);
  return html +
         "</table><p><small>An expected error is a model of the stream and no "
         "promise; \"noise\" is what even the best rule gets "
         "wrong.</small></p></div></body></html>\n";
}

}  // namespace sotto
