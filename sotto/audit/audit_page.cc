#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sotto/audit/audit_report.h"
#include "sotto/base/number_text.h"
#include "sotto/report/figures.h"
#include "sotto/report/html_page.h"
#include "sotto/report/svg_chart.h"

namespace sotto {
namespace {

constexpr int kCurvePoints = 60;
constexpr std::size_t kShownViews = 6;
constexpr std::size_t kShownAnswers = 24;

// Fractions of the second half's games in each world: for an event and for
// growing ones, in the order of the first half.
struct Share {
  double likely = 0;
  double other = 0;
};

std::vector<Share> Shares(const CaseResult& audit_case,
                          const AuditEvent& event) {
  const auto order_likely =
      audit_case.counts.Of(event.reading, Part::kOrder, event.likelier);
  const auto order_other =
      audit_case.counts.Of(event.reading, Part::kOrder, !event.likelier);
  const auto likely =
      audit_case.counts.Of(event.reading, Part::kCount, event.likelier);
  const auto other =
      audit_case.counts.Of(event.reading, Part::kCount, !event.likelier);
  std::vector<std::size_t> order(likely.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto ratio = [&](std::size_t b) {
    return (static_cast<double>(order_likely[b]) + 1) /
           (static_cast<double>(order_other[b]) + 1);
  };
  std::stable_sort(
      order.begin(), order.end(),
      [&](std::size_t a, std::size_t b) { return ratio(a) > ratio(b); });
  const auto games = static_cast<double>(
      std::max<std::uint64_t>(1, audit_case.counts.games(Part::kCount, false)));
  std::vector<Share> shares = {{}};
  Share sum;
  for (const std::size_t b : order) {
    if (likely[b] + other[b] == 0) continue;
    sum.likely += static_cast<double>(likely[b]) / games;
    sum.other += static_cast<double>(other[b]) / games;
    shares.push_back(sum);
  }
  return shares;
}

// The trade-off of (epsilon, delta): the minimum fraction of misses at a
// fraction of false alarms.
double LeastMisses(const ApproximateDp& claim, double alarms) {
  return std::max({0.0, 1 - claim.delta - std::exp(claim.epsilon) * alarms,
                   std::exp(-claim.epsilon) * (1 - claim.delta - alarms)});
}

std::string TradeOff(const CaseResult& audit_case, const AuditEvent& event) {
  ChartSeries seen{"this attack, as counted", "c1", {}};
  for (const Share& share : Shares(audit_case, event)) {
    seen.points.push_back({share.other, 1 - share.likely});
  }
  ChartSeries claim{"the best that the claim allows", "c3", {}};
  for (int i = 0; i <= kCurvePoints; ++i) {
    const double alarms = static_cast<double>(i) / kCurvePoints;
    claim.points.push_back({alarms, LeastMisses(audit_case.claim, alarms)});
  }
  return RenderChart(
      {.title = "Telling the two worlds apart",
       .x_label = "false alarms: the other world is taken for this one",
       .y_label = "misses",
       .series = {std::move(seen),
                  std::move(claim),
                  {"a coin", "c5", {{0, 1}, {1, 0}}}}});
}

std::string PrivacyCurve(const CaseResult& audit_case,
                         const AuditEvent& event) {
  ChartSeries seen{"delta of this attack, as counted", "c1", {}};
  const std::vector<Share> shares = Shares(audit_case, event);
  const double most = std::max(0.2, 1.5 * audit_case.claim.epsilon);
  for (int i = 0; i <= kCurvePoints; ++i) {
    const double epsilon = most * i / kCurvePoints;
    double delta = 0;
    for (const Share& share : shares) {
      delta = std::max(delta, share.likely - std::exp(epsilon) * share.other);
    }
    seen.points.push_back({epsilon, delta});
  }
  const double top = seen.points.front().y;
  return RenderChart(
      {.title = "Privacy curve",
       .x_label = "epsilon",
       .y_label = "delta",
       .series = {std::move(seen),
                  {"the claim: below this line from here on",
                   "c3",
                   {{audit_case.claim.epsilon, top},
                    {audit_case.claim.epsilon, audit_case.claim.delta},
                    {most, audit_case.claim.delta}}}}});
}

std::string Transcript(const View& view) {
  std::string text;
  for (std::size_t i = 0; i < std::min(view.rounds(), kShownAnswers); ++i) {
    const std::int64_t answer = view.seen[i];
    text +=
        (i == 0 ? "" : " ") +
        (answer == View::kHidden ? std::string("·") : std::to_string(answer));
  }
  return view.rounds() > kShownAnswers ? text + " ..." : text;
}

std::string Transcripts(const CaseResult& audit_case, const AuditEvent& event) {
  std::string html =
      "<table><tr><th>what the adversary saw, round by round (· hidden)</th>"
      "<th>the event?</th></tr>";
  const auto add = [&](const char* world, const std::vector<View>& views) {
    html += std::string("<tr><th colspan=\"2\">") + world + "</th></tr>";
    for (std::size_t i = 0; i < std::min(views.size(), kShownViews); ++i) {
      const bool in =
          event.bins[audit_case.readings.Of(views[i])[event.reading]];
      html += "<tr><td>" + Escaped(Transcript(views[i])) + "</td><td>" +
              (in ? "yes" : "no") + "</td></tr>";
    }
  };
  add("world 0", audit_case.examples_zero);
  add("world 1", audit_case.examples_one);
  return html + "</table>";
}

std::string HeadlineNumber(const std::string& value, const std::string& name) {
  return "<div><b>" + Escaped(value) + "</b><span>" + Escaped(name) +
         "</span></div>";
}

std::string Facts(const AuditResult& result) {
  const CaseResult& worst = result.worst();
  return "<div class=\"facts\">" +
         HeadlineNumber(std::string(ChooseVerdict(result)), "verdict") +
         HeadlineNumber(worst.fault ? "?" : Short(worst.epsilon_lower()),
                        "epsilon is at least this, confidence " +
                            Percent(result.options.confidence)) +
         HeadlineNumber("(" + Short(worst.claim.epsilon) + ", " +
                            Short(worst.claim.delta) + ")",
                        "claimed epsilon, delta") +
         HeadlineNumber(WithCommas(worst.runs), "games in each world") +
         "</div>\n";
}

std::string Outcome(const AuditResult& result) {
  if (result.broken() && !result.violation()) {
    return "Here a game could not be played to its end, and nothing is known "
           "of the privacy of what was to be audited: " +
           Escaped(*result.worst().fault) + ".";
  }
  return "Here epsilon is at least " + Short(result.worst().epsilon_lower()) +
         ". " + Conclusion(result);
}

std::string Explanation(const AuditResult& result) {
  return "<div class=\"card\"><p>An adversary plays the same game again and "
         "again in two worlds that differ in one person's data, and tries to "
         "tell which world it is in. It chooses what everybody else does, and "
         "sees all that they would see. How well it can tell is a lower bound "
         "on epsilon: the smaller, the better the person is hidden.</p><p>" +
         Outcome(result) + "</p></div>\n";
}

std::string Table(const AuditResult& result) {
  std::string html =
      "<h2>All games</h2><div class=\"card\"><table><tr><th>mechanism</th>"
      "<th>adversary</th><th class=\"n\">epsilon at least</th><th "
      "class=\"n\">claimed</th><th>verdict</th></tr>";
  for (const CaseResult& audit_case : result.cases) {
    html += "<tr><td>" + Escaped(audit_case.mechanism) + "</td><td>" +
            Escaped(audit_case.adversary) + "</td><td class=\"n\">" +
            Short(audit_case.epsilon_lower()) + "</td><td class=\"n\">(" +
            Short(audit_case.claim.epsilon) + ", " +
            Short(audit_case.claim.delta) + ")</td><td>" +
            (audit_case.fault ? Escaped("broken: " + *audit_case.fault)
                              : std::string(CaseVerdict(result, audit_case))) +
            "</td></tr>";
  }
  return html + "</table></div>\n";
}

}  // namespace

std::string AuditPage(const AuditResult& result) {
  const CaseResult& worst = result.worst();
  std::string html = PageHead("Sotto: audit of " + result.target);
  html += "<h1>Audit of " + Escaped(result.target) + "</h1>\n" + Facts(result) +
          Explanation(result) + Table(result);
  if (!worst.findings.empty()) {
    const AuditEvent& event = worst.findings.front().event;
    html += "<h2>The best attack: " + Escaped(worst.adversary) + " against " +
            Escaped(worst.mechanism) + "</h2>\n<div class=\"card\"><p>" +
            "It says &quot;world " + (event.likelier ? "1" : "0") +
            "&quot; when " + Escaped(EventText(worst, event)) +
            ".</p></div>\n<div class=\"card\">" + TradeOff(worst, event) +
            "</div>\n<div class=\"card\">" + PrivacyCurve(worst, event) +
            "</div>\n<div class=\"card\">" + Transcripts(worst, event) +
            "</div>\n";
  }
  return html + "</body></html>\n";
}

}  // namespace sotto
