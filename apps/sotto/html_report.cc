#include "html_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sotto/accounting/rounding.h"
#include "sotto/report/svg_chart.h"

namespace sotto::app {
namespace {

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sotto: report of a run</title>
<style>
:root{--bg:#fbfaf7;--card:#fff;--ink:#1f2328;--dim:#6a737d;--line:#dfe2e5;--c1:#b5402a;--c2:#2a6db5;--c3:#3c8c4e;--c4:#8a63b8;--band:#f1efe8;--odd:#e7e4da;--warn:#8a5a00;--warnbg:#fff4d6}
@media (prefers-color-scheme:dark){:root{--bg:#15181c;--card:#1d2126;--ink:#e4e7ea;--dim:#98a1ab;--line:#343a41;--c1:#f0806a;--c2:#6cb0f5;--c3:#74c98a;--c4:#c3a2ec;--band:#23282e;--odd:#2b3138;--warn:#f2c864;--warnbg:#3a2f14}}
body{background:var(--bg);color:var(--ink);font:16px/1.5 system-ui,sans-serif;max-width:920px;margin:0 auto;padding:24px 16px 48px}
h1{font-size:26px;margin:8px 0}h2{font-size:19px;margin:32px 0 8px}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 16px;margin:12px 0;overflow-x:auto}
.facts{display:flex;flex-wrap:wrap;gap:12px}.facts div{flex:1 1 130px;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 14px}
.facts b{display:block;font-size:22px}.facts span{color:var(--dim);font-size:13px}
.note{color:var(--warn);background:var(--warnbg);border-radius:6px;padding:6px 12px;font-size:14px}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:4px 12px 4px 0;border-bottom:1px solid var(--line);vertical-align:top;font-size:14px}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
svg{width:100%;height:auto;display:block}svg text{font:12px system-ui,sans-serif;fill:var(--dim)}
svg .title{font-size:15px;font-weight:600;fill:var(--ink)}svg .legend{fill:var(--ink)}
svg .xtick,svg .xlabel,svg .ylabel,svg .bandname{text-anchor:middle}svg .ytick{text-anchor:end}
.grid{stroke:var(--line);stroke-width:1}.tick,.axis{stroke:var(--dim);stroke-width:1}
.band{fill:var(--band)}.band.odd{fill:var(--odd)}.curve{fill:none;stroke-width:2.2}
.c1{stroke:var(--c1)}.c2{stroke:var(--c2)}.c3{stroke:var(--c3);stroke-dasharray:6 4}.c4{stroke:var(--c4);stroke-dasharray:2 4}.cell{fill:var(--c2)}
</style></head><body>
)";

// Rates over fewer rounds say nothing, and would set the scale.
constexpr double kFirstRate = 20;

std::string Fact(const std::string& value, const std::string& name) {
  return "<div><b>" + Escaped(value) + "</b><span>" + Escaped(name) +
         "</span></div>";
}

std::string Note(const std::string& text) {
  return "<p class=\"note\">" + Escaped(text) + "</p>\n";
}

std::string Whole(double number) {
  return Grouped(
      static_cast<std::uint64_t>(std::llround(std::max(number, 0.0))));
}

std::string Facts(const RunReport& report) {
  const RunTally& tally = report.tally;
  std::string html =
      "<div class=\"facts\">" + Fact(Grouped(tally.now.rounds), "rounds");
  if (report.public_only) {
    html += Fact(
        "about " + Grouped(static_cast<std::uint64_t>(tally.now.shown)),
        "mistakes, a private estimate within " + Whole(report.shown_error));
  } else {
    html += Fact(CountAndShare(tally.now.mistakes, tally.labelled),
                 "mistakes (not covered)");
    html += Fact(CountAndShare(tally.now.paid, tally.now.rounds),
                 "paid rounds (not covered)");
  }
  html += Fact(Grouped(report.phases), "phases");
  html += Fact("(" + TextUp(report.guarantee.epsilon()) + ", " +
                   TextUp(report.guarantee.delta()) + ")",
               "epsilon, delta for each user");
  return html + "</div>\n";
}

std::string InPlainWords(const RunReport& report) {
  const double epsilon = report.guarantee.epsilon();
  char odds[64];
  std::snprintf(odds, sizeof(odds), "%.3g",
                std::ceil(std::exp(epsilon) * 100) / 100);
  std::string html = "<h2>What is promised</h2>\n<div class=\"card\"><p>";
  html += Escaped(
      "Take any one user. Whoever sees every answer given to everybody else, "
      "and chooses what all the others do, can hardly tell what this user "
      "asked or answered, or whether this user came at all: whatever they "
      "conclude, the user's data changes its odds by a factor of at most " +
      std::string(odds) + ", but for a chance of " +
      TextUp(report.guarantee.delta()) + ".");
  html += "</p><ul>";
  for (const auto& sentence : PrivacyStatement(report)) {
    html += "<li>" + Escaped(sentence) + "</li>";
  }
  return html + "</ul></div>\n";
}

std::vector<ChartBand> PhaseBands(const RunReport& report, double first) {
  std::vector<ChartBand> bands;
  double from = first;
  const auto add = [&](std::uint64_t end) {
    const auto to = static_cast<double>(end);
    if (to <= from) return;
    bands.push_back({from, to, "phase " + std::to_string(bands.size() + 1)});
    from = to;
  };
  for (const auto& end : report.tally.phase_ends) add(end.rounds);
  add(report.tally.now.rounds);
  return bands;
}

template <typename Value>
std::vector<ChartPoint> Points(const RunReport& report, Value value) {
  std::vector<ChartPoint> points;
  for (const RunTally::Point& point : report.tally.trace) {
    points.push_back({static_cast<double>(point.rounds), value(point)});
  }
  const RunTally::Point& now = report.tally.now;
  if (now.rounds > 0) {
    points.push_back({static_cast<double>(now.rounds), value(now)});
  }
  return points;
}

double MistakesAt(const RunReport& report, const RunTally::Point& point) {
  return report.public_only ? static_cast<double>(point.shown)
                            : static_cast<double>(point.mistakes);
}

std::string MistakesChart(const RunReport& report) {
  Chart chart{.title = "Mistakes over time",
              .x_label = "rounds",
              .y_label = "mistakes so far"};
  chart.bands = PhaseBands(report, 0);
  const auto rounds = static_cast<double>(report.tally.now.rounds);
  chart.series.push_back(
      {report.public_only ? "mistakes (private estimate)" : "mistakes", "c1",
       Points(report, [&](const auto& p) { return MistakesAt(report, p); })});
  if (!report.public_only) {
    chart.series.push_back(
        {"paid rounds", "c2", Points(report, [](const auto& p) {
           return static_cast<double>(p.paid);
         })});
  }
  const double highest = MistakesAt(report, report.tally.now);
  // The plan is drawn where it does not flatten everything else.
  if (report.expected && *report.expected < 4 * highest + 100) {
    chart.series.push_back(
        {"expected by the plan at its horizon",
         "c3",
         {{0, *report.expected}, {rounds, *report.expected}}});
  }
  if (report.compared) {
    const auto plain = static_cast<double>(report.tally.plain_mistakes);
    chart.series.push_back(
        {"plain learner, at the end", "c4", {{0, plain}, {rounds, plain}}});
  }
  return RenderChart(chart);
}

// Mistakes in 100 rounds, since the start.
std::vector<ChartPoint> Average(const std::vector<ChartPoint>& mistakes) {
  std::vector<ChartPoint> points;
  for (const ChartPoint& point : mistakes) {
    if (point.x < kFirstRate) continue;
    points.push_back({point.x, 100 * point.y / point.x});
  }
  return points;
}

// The same over the latter half of the way, so that what was learned late
// shows.
std::vector<ChartPoint> Lately(const std::vector<ChartPoint>& mistakes) {
  std::vector<ChartPoint> points;
  std::size_t half = 0;
  for (const ChartPoint& point : mistakes) {
    while (half + 1 < mistakes.size() && mistakes[half + 1].x <= point.x / 2) {
      ++half;
    }
    const ChartPoint& then = mistakes[half];
    if (point.x < kFirstRate || then.x > point.x / 2) continue;
    const double share = (point.y - then.y) / (point.x - then.x);
    points.push_back({point.x, std::clamp(100 * share, 0.0, 100.0)});
  }
  return points;
}

std::string RateChart(const RunReport& report) {
  Chart chart{.title = "How often it errs",
              .x_label = "rounds (logarithmic)",
              .y_label = "mistakes in 100 rounds",
              .log_x = true};
  chart.bands = PhaseBands(report, 1);
  const auto mistakes =
      Points(report, [&](const auto& p) { return MistakesAt(report, p); });
  chart.series = {
      {"since the start", "c1", Average(mistakes)},
      {"in the latter half of the rounds so far", "c2", Lately(mistakes)}};
  return RenderChart(chart);
}

std::string SpreadChart(const RunReport& report) {
  DensityChart chart{.title = "Spread of the votes (stronger: more often)",
                     .x_label = "rounds (logarithmic)",
                     .y_label = "margin, 0 = tie, 0.5 = all agree",
                     .x_max = static_cast<double>(report.tally.now.rounds),
                     .y_max = 0.5};
  for (const VoteSample& vote : report.votes) {
    chart.points.push_back(
        {static_cast<double>(vote.round), std::abs(vote.share - 0.5)});
  }
  return RenderDensity(chart);
}

std::string Plots(const RunReport& report) {
  std::string html = "<h2>What happened</h2>\n";
  html += report.public_only
              ? "<p>Mistakes are private estimates: this page may be shown to "
                "anybody.</p>\n"
              : Note(
                    "The operator's own view: everything below is computed "
                    "from labels or votes, is not covered by the guarantee, "
                    "and is not for others to see.");
  if (report.tally.now.rounds == 0) return html + "<p>No rounds.</p>\n";
  html += "<div class=\"card\">" + MistakesChart(report) + "</div>\n";
  html += "<div class=\"card\">" + RateChart(report) + "</div>\n";
  if (!report.public_only && !report.votes.empty()) {
    html += "<div class=\"card\">" + SpreadChart(report) +
            "<p><small>How far the votes of a sampled round were from a tie, "
            "as a share of the copies. Rounds near a tie are the ones that "
            "are paid for. This run only, not those before a "
            "resume.</small></p></div>\n";
  }
  return html;
}

std::string Row(const std::string& name, const std::string& plan,
                const std::string& reality) {
  return "<tr><td>" + Escaped(name) + "</td><td class=\"n\">" + Escaped(plan) +
         "</td><td class=\"n\">" + Escaped(reality) + "</td></tr>";
}

std::string PlanTable(const RunReport& report) {
  if (!report.expected) return "";
  const RunTally& tally = report.tally;
  const std::string mistakes =
      report.public_only
          ? "about " + Grouped(static_cast<std::uint64_t>(tally.now.shown))
          : Grouped(tally.now.mistakes);
  const auto horizon = report.parameters.value("horizon", std::uint64_t{0});
  std::string html =
      "<h2>Plan and reality</h2>\n<div class=\"card\"><table><tr><th></th>"
      "<th class=\"n\">plan</th><th class=\"n\">this run</th></tr>" +
      Row("rounds", horizon > 0 ? Grouped(horizon) : "-",
          Grouped(tally.now.rounds)) +
      Row("mistakes expected", Whole(*report.expected), mistakes) +
      Row("mistakes, proved bound (probability 95 %)",
          report.bound ? Whole(*report.bound) : "none", mistakes) +
      Row("verdict", report.verdict, "");
  if (report.compared) {
    html += Row("mistakes of the plain learner, no privacy", "",
                Grouped(tally.plain_mistakes));
  }
  return html + "</table></div>\n";
}

std::string Cell(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.6g", value.get<double>());
    return text;
  }
  return value.dump();
}

std::string PhaseTable(const nlohmann::ordered_json& phases) {
  if (!phases.is_array() || phases.empty()) return "";
  std::string html = "<p>Phases, the last of which repeats:</p><table><tr>";
  for (const auto& [name, value] : phases.front().items()) {
    html += "<th class=\"n\">" + Escaped(name) + "</th>";
  }
  for (const auto& phase : phases) {
    html += "</tr><tr>";
    for (const auto& [name, value] : phase.items()) {
      html += "<td class=\"n\">" + Escaped(Cell(value)) + "</td>";
    }
  }
  return html + "</tr></table>";
}

std::string Parameters(const RunReport& report) {
  std::string html =
      "<h2>Parameters</h2>\n<div class=\"card\"><p>All of them are public and "
      "were fixed before the first round.</p><table>";
  for (const auto& [name, value] : report.parameters.items()) {
    if (name == "phases") continue;
    html += "<tr><td>" + Escaped(name) + "</td><td>" + Escaped(Cell(value)) +
            "</td></tr>";
  }
  html += "</table>";
  if (report.parameters.contains("phases")) {
    html += PhaseTable(report.parameters["phases"]);
  }
  return html + "</div>\n";
}

}  // namespace

std::string HtmlReport(const RunReport& report) {
  std::string html = kHead;
  html += "<h1>Sotto: " + Escaped(report.model) + " over " +
          Escaped(report.learner) + "</h1>\n";
  if (report.seeded) {
    html += Note(
        "NOT PRIVATE: this run was started with a seed, which makes the noise "
        "known to anyone. It is for experiments only.");
  }
  html += Facts(report) + InPlainWords(report) + Plots(report) +
          PlanTable(report) + Parameters(report);
  return html + "</body></html>\n";
}

}  // namespace sotto::app
