// Tables and figures from what real_streams_bench measured.
//
//   real_streams_page FIGURES RESULTS.json...
//
// Writes FIGURES/real-streams-NAME.svg, a figure a stream with the errors at
// the smallest epsilon, and the tables as markdown on standard output.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/report/svg_chart.h"

namespace sotto {
namespace {

using nlohmann::json;

// In the order of the tables: the method, its column, its name in figures.
struct Shown {
  const char* method;
  const char* column;
  const char* curve;
};
constexpr Shown kShown[] = {
    {"tide", "`tide`", "tide"},
    {"dp-ftrl", "DP-FTRL *", "ftrl"},
    {"naive-bayes", "naive Bayes", "bayes"},
    {"winnow", "`winnow` *", "winnow"},
    {"pop", "`pop` *", "pop"},
    {"logistic", "logistic *", "logistic"},
    {"hoeffding-tree", "Hoeffding tree", "tree"},
    {"majority", "majority", "majority"},
    {"running-mean", "mean", "mean"},
    {"running-median", "median", "median"},
    {"last-label", "last label", "last"},
    {"dp-ebm", "DP-EBM *", "ebm"},
    {"dp-ebm-continued", "DP-EBM, continued *", "ebm on"},
};
constexpr const char* kNothing = "–";

// Colours of the figures, by the place in kShown; dashes: not private.
constexpr std::string_view kStyle =
    "<style>svg{background:#fff}text{font:12px sans-serif;fill:#6a737d}"
    ".title{font-size:15px;font-weight:600;fill:#1f2328}.legend{fill:#1f2328}"
    ".xtick,.xlabel,.ylabel{text-anchor:middle}.ytick{text-anchor:end}"
    ".grid{stroke:#dfe2e5}.tick,.axis{stroke:#6a737d}"
    ".curve{fill:none;stroke-width:2}"
    ".s0{stroke:#b5402a;stroke-width:3}.s1{stroke:#2a6db5}.s2{stroke:#3c8c4e}"
    ".s3{stroke:#8a63b8}.s4{stroke:#c28a1b}"
    ".s5{stroke:#1f2328;stroke-dasharray:6 4}"
    ".s6{stroke:#3c8c4e;stroke-dasharray:6 4}"
    ".s7,.s8{stroke:#98a1ab;stroke-dasharray:2 4}"
    ".s9{stroke:#c28a1b;stroke-dasharray:2 4}"
    ".s10{stroke:#2a6db5;stroke-dasharray:2 4}"
    ".s11{stroke:#5aa7a7}.s12{stroke:#b06a8f}</style>"
    "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>";

std::string Fixed(double number, int digits) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.*f", digits, number);
  return text;
}

std::string WithCommas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<int>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), ",");
  }
  return text;
}

std::vector<const json*> FindResults(const json& all, const std::string& stream,
                                     std::string_view method) {
  std::vector<const json*> found;
  for (const json& result : all["results"]) {
    if (result["stream"] == stream && result["method"] == method) {
      found.push_back(&result);
    }
  }
  std::ranges::sort(found, {},
                    [](const json* r) { return r->value("epsilon", 0.0); });
  return found;
}

// "16.7 / 15.8": by epsilon.
std::string Cell(const json& all, const std::string& stream,
                 std::string_view method, const char* member, int digits) {
  std::string text;
  for (const json* result : FindResults(all, stream, method)) {
    if (!result->contains(member)) continue;
    const double value = (*result)[member];
    // Error rates far below one percent differ only in their second digit.
    const int more = digits == 1 && value < 3 ? 2 : digits;
    text += (text.empty() ? "" : " / ") + Fixed(value, more);
  }
  return text.empty() ? kNothing : text;
}

void Row(const std::vector<std::string>& cells) {
  std::cout << "|";
  for (const std::string& cell : cells) std::cout << " " << cell << " |";
  std::cout << "\n";
}

void Head(const std::vector<std::string>& cells) {
  Row(cells);
  Row(std::vector<std::string>(cells.size(), "---"));
}

void ErrorTable(const json& all) {
  std::vector<std::string> head = {"stream (rows)"};
  for (const Shown& shown : kShown) head.emplace_back(shown.column);
  Head(head);
  for (const json& stream : all["streams"]) {
    const std::string name = stream["name"];
    std::vector<std::string> cells = {
        name + " (" + WithCommas(stream["rows"].get<std::uint64_t>()) + ")"};
    for (const Shown& shown : kShown) {
      cells.push_back(Cell(all, name, shown.method, "loss", 1));
    }
    Row(cells);
  }
}

void LogLossTable(const json& all) {
  Head({"stream", "`tide`", "DP-FTRL *", "logistic *"});
  for (const json& stream : all["streams"]) {
    if (stream["label"] != "two") continue;
    std::vector<std::string> cells = {stream["name"]};
    for (const char* method : {"tide", "dp-ftrl", "logistic"}) {
      cells.push_back(Cell(all, stream["name"], method, "log_loss", 3));
    }
    Row(cells);
  }
}

void SpreadAndOptions(const json& all) {
  Head({"stream", "method", "epsilon", "taken in hindsight", "deviation",
        "rows a second"});
  for (const json& result : all["results"]) {
    const double speed = result["rows_per_second"];
    Row({result["stream"], result["method"],
         result.contains("epsilon") ? Fixed(result["epsilon"], 0) : kNothing,
         result["hindsight"] ? result["options"].get<std::string>() : kNothing,
         result.contains("epsilon") ? Fixed(result["deviation"], 2) : kNothing,
         WithCommas(static_cast<std::uint64_t>(speed / 1000)) + " k"});
  }
}

void ForetoldTable(const json& all) {
  Head({"stream", "model", "options", "epsilon", "foretold", "measured",
        "measured over foretold", "verdict"});
  for (const json& entry : all["foretold"]) {
    const double measured = entry["measured"];
    std::string forecast = "not said";
    std::string factor = kNothing;
    if (entry.contains("foretold")) {
      forecast = Fixed(entry["foretold"], 2);
      factor = Fixed(measured / entry["foretold"].get<double>(), 2);
    }
    Row({entry["stream"], entry["method"],
         entry["options"].get<std::string>().empty()
             ? "defaults"
             : "`" + entry["options"].get<std::string>() + "`",
         Fixed(entry["epsilon"], 0), forecast, Fixed(measured, 2), factor,
         entry["verdict"]});
  }
}

// The page's own style goes inside, for a figure that stands alone.
std::string StandAlone(std::string svg) {
  constexpr std::string_view kOpening = "<svg";
  svg.insert(kOpening.size(), " xmlns=\"http://www.w3.org/2000/svg\"");
  svg.insert(svg.find('>') + 1, kStyle);
  return svg;
}

void Figure(const json& all, const json& stream, const std::string& folder) {
  const std::string name = stream["name"];
  const bool number = stream["label"] == "number";
  Chart chart{.title = name + ": error so far, epsilon 1 where private",
              .x_label = "rows, in hundreds",
              .y_label = number ? "mean absolute error" : "% wrong",
              .log_x = true};
  for (std::size_t i = 0; i < std::size(kShown); ++i) {
    const auto results = FindResults(all, name, kShown[i].method);
    if (results.empty()) continue;
    ChartSeries series{.name = kShown[i].curve,
                       .css_class = "s" + std::to_string(i),
                       .points = {}};
    for (const json& point : (*results.front())["curve"]) {
      series.points.push_back({point[0].get<double>() / 100, point[1]});
    }
    chart.series.push_back(std::move(series));
  }
  std::ofstream file(folder + "/real-streams-" + name + ".svg");
  file << StandAlone(RenderChart(chart));
}

int Run(const std::string& folder, const std::vector<std::string>& paths) {
  json all = {{"streams", json::array()},
              {"results", json::array()},
              {"foretold", json::array()}};
  for (const std::string& path : paths) {
    std::ifstream file(path);
    const json part = json::parse(file, nullptr, false);
    if (part.is_discarded()) {
      std::cerr << path << ": not JSON\n";
      return 1;
    }
    for (const auto& [member, list] : part.items()) {
      for (const json& entry : list) {
        const auto& have = all[member];
        if (std::ranges::find(have, entry) == have.end()) {
          all[member].push_back(entry);
        }
      }
    }
  }
  ErrorTable(all);
  std::cout << "\n";
  LogLossTable(all);
  std::cout << "\n";
  SpreadAndOptions(all);
  std::cout << "\n";
  ForetoldTable(all);
  for (const json& stream : all["streams"]) Figure(all, stream, folder);
  return 0;
}

}  // namespace
}  // namespace sotto

int main(int count, char** arguments) {
  if (count < 3) {
    std::cerr << "real_streams_page FIGURES RESULTS.json...\n";
    return 2;
  }
  return sotto::Run(arguments[1],
                    std::vector<std::string>(arguments + 2, arguments + count));
}
