#include "sotto/learners/classes/class_report.h"

namespace sotto {
namespace {

template <typename T>
Json ToJsonArray(const std::vector<T>& numbers) {
  Json::Array list;
  for (const T number : numbers) list.emplace_back(std::uint64_t{number});
  return list;
}

std::string FormatRow(const std::vector<bool>& labels) {
  std::string row;
  for (const bool label : labels) row += label ? '1' : '0';
  return row;
}

std::string ListPoints(const Irreducibility::Witness& witness) {
  std::string text;
  for (const std::size_t point : witness) {
    text += (text.empty() ? "" : " ") + std::to_string(point);
  }
  return text;
}

Json ToJson(const Irreducibility::Fewest& fewest) {
  Json json = Json::Object{{"k_irreducible_up_to", fewest.irreducible},
                           {"exact", fewest.exact()}};
  if (fewest.witness) json["reduced_by_points"] = ToJsonArray(*fewest.witness);
  return json;
}

Json ToJson(const ClassReport::Decomposed& decomposed) {
  Json json = Json::Object{{"p", decomposed.p},
                           {"d", decomposed.d},
                           {"exact", decomposed.exact},
                           {"degree", decomposed.degree},
                           {"leaves", decomposed.leaves}};
  Json::Array rows;
  for (const auto& labels : decomposed.top)
    rows.emplace_back(FormatRow(labels));
  json[decomposed.exact ? "essential" : "top_labels"] = rows;
  return json;
}

std::string ToText(const Irreducibility::Fewest& fewest) {
  if (!fewest.witness) return "irreducible by any number of points\n";
  const std::string many = std::to_string(fewest.witness->size());
  std::string text = std::to_string(fewest.irreducible) + "-irreducible; " +
                     many +
                     (fewest.witness->size() == 1 ? " point reduces it: "
                                                  : " points reduce it: ") +
                     ListPoints(*fewest.witness) + "\n";
  if (!fewest.exact()) {
    text += "(given up there: fewer than " + many + " may do)\n";
  }
  return text;
}

std::string ToText(const ClassReport::Decomposed& decomposed) {
  std::string text = "(" + std::to_string(decomposed.p) + ", " +
                     std::to_string(decomposed.d) +
                     ")-decomposition dimension ";
  text += decomposed.exact ? "" : "at most ";
  text += std::to_string(decomposed.degree) + ", by a tree of " +
          std::to_string(decomposed.leaves) + " leaves\n";
  text += std::to_string(decomposed.top.size());
  text += decomposed.exact
              ? " essential hypotheses\n"
              : " labellings of its top leaves: a substitute for essential "
                "hypotheses, which are worked out for classes of at most 24 "
                "functions on 24 points\n";
  constexpr std::size_t kShown = 16;
  for (std::size_t i = 0; i < decomposed.top.size() && i < kShown; ++i) {
    if (decomposed.top[i].size() > 64) break;
    text += "  " + FormatRow(decomposed.top[i]) + "\n";
  }
  return text;
}

}  // namespace

Json ClassReportJson(const ClassReport& report, bool whole_tree) {
  Json json = Json::Object{{"class", report.name}};
  if (report.bounds.lo == report.bounds.hi) {
    json["dimension"] = report.bounds.lo;
  } else {
    json["lo"] = report.bounds.lo;
    json["hi"] = report.bounds.hi;
  }
  json["functions"] = report.functions;
  json["points"] = report.points;
  json["method"] = report.closed_form ? "closed form" : "search";
  json["nodes"] = report.bounds.nodes;
  json["seconds"] = report.seconds;
  if (whole_tree && report.tree) {
    json["tree"] =
        Json::Object{{"depth", report.tree->depth},
                     {"points", ToJsonArray(report.tree->points)},
                     {"functions", ToJsonArray(report.tree->leaves)}};
  }
  if (report.fewest) json["irreducibility"] = ToJson(*report.fewest);
  if (report.decomposed) json["decomposition"] = ToJson(*report.decomposed);
  return json;
}

std::string ClassReportText(const ClassReport& report, int levels) {
  const DimensionBounds& bounds = report.bounds;
  std::string text =
      report.name + ": " + std::to_string(report.functions) +
      (report.functions == 1 ? " function on " : " functions on ") +
      std::to_string(report.points) + " points\nLittlestone dimension ";
  if (bounds.lo == bounds.hi) {
    text += std::to_string(bounds.lo);
    text += report.closed_form ? " (closed form)\n" : "\n";
  } else {
    text += "between " + std::to_string(bounds.lo) + " and " +
            std::to_string(bounds.hi) +
            ", both proved; --nodes allows more than " +
            std::to_string(bounds.nodes) + " nodes\n";
  }
  if (report.tree && report.tree->depth > 0) {
    text += "A tree of " + std::to_string(report.tree->depth) +
            (report.tree->depth == 1 ? " mistake" : " mistakes") +
            ", checked:\n" + TreeText(*report.tree, levels);
  }
  if (report.fewest) text += ToText(*report.fewest);
  if (report.decomposed) text += ToText(*report.decomposed);
  return text;
}

}  // namespace sotto
