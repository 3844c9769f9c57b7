#include "sotto/report/html_parts.h"

#include "sotto/report/figures.h"
#include "sotto/report/svg_chart.h"

namespace sotto {
namespace {

std::string Cell(const Json& value) {
  if (value.text() != nullptr) return *value.text();
  if (value.number() && !value.natural() && !value.integer()) {
    constexpr int kDigits = 6;
    return Figure(*value.number(), kDigits);
  }
  return value.Dump();
}

std::string PhaseTable(const Json& phases) {
  if (phases.array() == nullptr || phases.array()->empty() ||
      phases.array()->front().object() == nullptr) {
    return "";
  }
  std::string html = "<p>Phases, the last of which repeats:</p><table><tr>";
  for (const auto& [name, value] : *phases.array()->front().object()) {
    html += "<th class=\"n\">" + Escaped(name) + "</th>";
  }
  for (const Json& phase : *phases.array()) {
    html += "</tr><tr>";
    if (phase.object() == nullptr) continue;
    for (const auto& [name, value] : *phase.object()) {
      html += "<td class=\"n\">" + Escaped(Cell(value)) + "</td>";
    }
  }
  return html + "</tr></table>";
}

}  // namespace

std::string HeadlineNumber(const std::string& value, const std::string& name) {
  return "<div><b>" + Escaped(value) + "</b><span>" + Escaped(name) +
         "</span></div>";
}

std::string Note(const std::string& text) {
  return "<p class=\"note\">" + Escaped(text) + "</p>\n";
}

std::string Parameters(const Json& parameters) {
  if (parameters.object() == nullptr) return "";
  std::string html =
      "<h2>Parameters</h2>\n<div class=\"card\"><p>All of them are public and "
      "were fixed before the first round.</p><table>";
  for (const auto& [name, value] : *parameters.object()) {
    if (name == "phases") continue;
    html += "<tr><td>" + Escaped(name) + "</td><td>" + Escaped(Cell(value)) +
            "</td></tr>";
  }
  html += "</table>";
  if (const Json* phases = parameters.Find("phases")) {
    html += PhaseTable(*phases);
  }
  return html + "</div>\n";
}

}  // namespace sotto
