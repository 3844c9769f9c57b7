#include "sotto/report/html_officer.h"

#include <algorithm>

#include "sotto/accounting/rounding.h"
#include "sotto/base/number_text.h"
#include "sotto/report/figures.h"
#include "sotto/report/html_parts.h"
#include "sotto/report/promise_text.h"
#include "sotto/report/public_run.h"
#include "sotto/report/spend_report.h"
#include "sotto/report/svg_chart.h"

namespace sotto {
namespace {

// Columns that are named; the others are counted.
constexpr std::size_t kNamedColumns = 24;

std::string Line(const std::string& name, const std::string& text) {
  return "<tr><th>" + Escaped(name) + "</th><td>" + Escaped(text) +
         "</td></tr>\n";
}

std::string Left(const std::string& what, const std::string& covered) {
  return "<tr><td>" + Escaped(what) + "</td><td>" + Escaped(covered) +
         "</td></tr>\n";
}

std::string Columns(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamedColumns); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kNamedColumns) {
    text += " and " + std::to_string(names.size() - kNamedColumns) + " more";
  }
  return text.empty() ? "not named" : text;
}

std::string Headlines(const RunReport& report) {
  const Guarantee& guarantee = report.facts.guarantee;
  return "<div class=\"facts\">" +
         HeadlineNumber(TextUp(guarantee.epsilon()), "epsilon") +
         HeadlineNumber(TextUp(guarantee.delta()), "delta, additive slack") +
         HeadlineNumber(RoundsPerUser(report.facts.guarantee), "limit") +
         HeadlineNumber(WithCommas(report.stats.now.rounds), "rounds") +
         HeadlineNumber(WorstSuspicion(guarantee.epsilon()),
                        "becomes of a suspicion of 50%, plus delta") +
         "</div>\n";
}

std::string Scope(const RunReport& report) {
  const Guarantee& guarantee = report.facts.guarantee;
  return "<div class=\"card\"><table>" +
         Line("Data",
              report.facts.data.empty() ? "not named" : report.facts.data) +
         Line("Columns", Columns(report.facts.columns)) +
         Line("Who is protected",
              "one user, " + RoundsPerUser(report.facts.guarantee) +
                  "; rows without a name count as separate users") +
         Line("From whom", FromWhom(guarantee)) +
         Line("What is protected", guarantee.protects()) +
         Line("What is not",
              PublicAboutRounds() + "; the operator is trusted") +
         Line("In full", guarantee.Describe()) + "</table></div>\n";
}

std::string Releases(const RunReport& report) {
  const std::string mistakes =
      report.count ? "mistakes, counted with noise" : "mistakes: not shown";
  std::string html =
      "<h2>What left the system</h2>\n<div class=\"card\"><table><tr><th></th>"
      "<th>covered by the guarantee?</th></tr>\n";
  if (report.facts.guarantee.notion() == Notion::kDp) {
    html += Left(report.facts.publishes.empty() ? "the published model"
                                                : report.facts.publishes,
                 "yes");
  }
  html += Left("one prediction per round, to its own user",
               "yes, from all others; a log of predictions is as sensitive as "
               "the data");
  html += report.public_only
              ? Left(mistakes, report.count ? "yes" : "-")
              : Left("mistakes, error rates, paid rounds, bad rows",
                     "NO: operator only");
  html += Left("the state file, if one was saved",
               "NO: it holds the key and data; keep it as secret as the data");
  return html + "</table></div>\n";
}

// Where the budget goes.
std::string Parts(const Guarantee& guarantee) {
  const std::vector<SpendLine> lines = SpendTable(guarantee);
  if (lines.empty()) return "";
  std::string html =
      "<h2>Where the budget goes</h2>\n<div class=\"card\"><table><tr><th>part"
      "</th><th class=\"n\">epsilon</th><th class=\"n\">delta</th><th>noise"
      "</th></tr>\n";
  for (const SpendLine& line : lines) {
    const std::string indent(2 * static_cast<std::size_t>(line.depth), ' ');
    const std::string how = line.how.empty() ? "" : " (" + line.how + ")";
    html += "<tr><td><code>" + indent + "</code>" + Escaped(line.name + how) +
            "</td><td class=\"n\">" + Escaped(line.epsilon) +
            "</td><td class=\"n\">" + Escaped(line.delta) + "</td><td>" +
            Escaped(line.noise) + "</td></tr>\n";
  }
  return html + "</table></div>\n";
}

std::string Cost(const RunReport& report) {
  const RunStats::Point& now = report.stats.now;
  if (report.public_only || now.labelled == 0) return "";
  const auto mean = [&](double sum) {
    return Short(sum / static_cast<double>(now.labelled));
  };
  std::string text;
  if (report.facts.label.kind == LabelType::Kind::kNumber) {
    text = "mean absolute error " + mean(now.error);
    if (report.plain_error) text += "; " + mean(*report.plain_error);
  } else {
    text = CountAndShare(now.mistakes, now.labelled) + " wrong";
    if (report.plain_mistakes) {
      text += "; " + CountAndShare(*report.plain_mistakes, now.labelled);
    }
  }
  if (report.plain_error || report.plain_mistakes) text += " without privacy";
  return "<div class=\"card\"><table>" +
         Line("What it cost (operator only)", text) + "</table></div>\n";
}

std::vector<std::string> OpenPoints(const RunFacts& facts) {
  std::vector<std::string> points = facts.caveats;
  if (facts.seeded) {
    points.insert(points.begin(), "--seed: the noise is known to anyone");
  }
  const double horizon = static_cast<double>(facts.horizon.value_or(0));
  if (!facts.guarantee.schedule() && facts.guarantee.delta() * horizon > 1) {
    points.emplace_back(
        "delta is above 1 / rounds: alone it would permit publishing "
        "somebody's round");
  }
  if (facts.guarantee.epsilon() > 8) {
    points.emplace_back(
        "epsilon is above 8: do not call this private without a second "
        "safeguard");
  }
  if (facts.columns.empty()) {
    points.emplace_back("columns are not named: no schema was given");
  }
  if (points.empty()) points.emplace_back("none");
  return points;
}

std::string List(const std::string& title,
                 const std::vector<std::string>& points) {
  std::string html = "<h2>" + Escaped(title) + "</h2>\n<ul>";
  for (const std::string& point : points) {
    html += "<li>" + Escaped(point) + "</li>";
  }
  return html + "</ul>\n";
}

std::string Assumptions() {
  return List(
      "Assumptions",
      {"The noise is ChaCha20 under a secret key: the guarantee is "
       "computational.",
       "The schema and all settings are public and were not chosen by looking "
       "at private data.",
       "Each person uses one name.", "A saved state was resumed at most once.",
       "Other releases about the same people add up with this one."});
}

std::string Signature() {
  return "<p class=\"sign\">Reviewed by ______________________ &nbsp; Date "
         "______________</p>\n";
}

}  // namespace

std::string OfficerPage(const RunReport& report) {
  const RunFacts& facts = report.facts;
  std::string made = "model " + facts.model +
                     (facts.learner.empty() ? "" : " over " + facts.learner);
  if (!facts.version.empty()) made += ", Sotto " + facts.version;
  if (!facts.date.empty()) made += ", " + facts.date;
  std::string html = "<section class=\"page\">\n<h1>Privacy report: " +
                     std::string(facts.seeded ? "NOT PRIVATE" : "private") +
                     "</h1>\n<p>" + Escaped(made) + "</p>\n";
  if (facts.seeded) {
    html += Note(
        "NOT PRIVATE: this run was started with a seed, which makes the noise "
        "known to anyone. It is for experiments only.");
  }
  return html + Headlines(report) + Scope(report) + Parts(facts.guarantee) +
         Releases(report) + Cost(report) + Assumptions() +
         List("Open points", OpenPoints(facts)) + Signature() + "</section>\n";
}

}  // namespace sotto
