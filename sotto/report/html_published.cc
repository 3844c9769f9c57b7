#include "sotto/report/html_published.h"

#include <algorithm>
#include <sstream>

#include "sotto/base/number_text.h"
#include "sotto/report/svg_chart.h"

namespace sotto {
namespace {

constexpr std::size_t kLines = 16;

// The first lines: of long hypotheses the rest is in the published file.
std::string Beginning(const std::string& text) {
  std::size_t end = 0;
  for (std::size_t line = 0; line < kLines; ++line) {
    const std::size_t next = text.find('\n', end);
    // The promise is on the page already.
    if (next == std::string::npos || text.compare(end, 9, "Privacy: ") == 0) {
      return text.substr(0, end);
    }
    end = next + 1;
  }
  return text.substr(0, end) + "...\n";
}

std::string Lines(const std::string& text) {
  std::string html;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    html += (html.empty() ? "" : "<br>") + Escaped(line);
  }
  return "<code>" + html + "</code>";
}

// Where one question about one number was asked all along, as a line of steps.
std::string CutsOverTime(const RunReport& report) {
  const auto& published = report.published;
  if (published.size() < 2 ||
      !std::ranges::all_of(published, [&](const Publication& entry) {
        return entry.cut && entry.cut->column == published.front().cut->column;
      })) {
    return "";
  }
  const std::string& column = published.front().cut->column;
  Chart chart{.title = "Where the published rule divides " + column,
              .x_label = "rounds",
              .y_label = column,
              .log_x = true};
  ChartSeries steps{"from this value on the rule changes its answer", "c2", {}};
  for (std::size_t i = 0; i < published.size(); ++i) {
    const double value = published[i].cut->value;
    const auto from = static_cast<double>(published[i].by);
    const auto to = i + 1 < published.size()
                        ? static_cast<double>(published[i + 1].by)
                        : static_cast<double>(report.stats.now.rounds);
    steps.points.push_back({from, value});
    steps.points.push_back({std::max(from, to), value});
  }
  chart.series.push_back(std::move(steps));
  return "<div class=\"card\">" + RenderChart(chart) + "</div>\n";
}

}  // namespace

std::string PublishedOverTime(const RunReport& report) {
  if (report.published.empty()) return "";
  std::string html =
      "<h2>What was published</h2>\n<p>Hypotheses over time, ever further "
      "apart; they are covered by the guarantee and anybody may keep "
      "them.</p>\n<div class=\"published\">" +
      CutsOverTime(report) +
      "<div class=\"card\"><table><tr><th class=\"n\">by round</th>"
      "<th>hypothesis</th></tr>";
  for (const Publication& entry : report.published) {
    html += "<tr><td class=\"n\">" + WithCommas(entry.by) + "</td><td>" +
            Lines(Beginning(entry.text)) + "</td></tr>";
  }
  return html + "</table></div></div><!-- published -->\n";
}

}  // namespace sotto
