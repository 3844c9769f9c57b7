#include "sotto/report/spend_report.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"
#include "sotto/report/figures.h"

namespace sotto {
namespace {

std::string_view RuleName(Spend::Rule rule) {
  switch (rule) {
    case Spend::Rule::kAlone:
      return "alone";
    case Spend::Rule::kSum:
      return "sum";
    case Spend::Rule::kMax:
      return "max";
    case Spend::Rule::kJoint:
      return "joint";
  }
  return "unknown";
}

std::string RuleWords(const Spend& spend) {
  std::string words;
  if (spend.rule == Spend::Rule::kSum && spend.parts.size() > 1) words = "sum";
  if (spend.rule == Spend::Rule::kMax) words = "largest";
  if (spend.rule == Spend::Rule::kJoint) words = "together";
  if (spend.steps > 1) {
    words += (words.empty() ? "x " : ", x ") + std::to_string(spend.steps);
  }
  return words;
}

std::string NoiseWords(const Spend& spend) {
  constexpr int kDigits = 4;
  if (!spend.noise) return "";
  std::string words(ToString(spend.noise->kind));
  if (spend.noise->scale > 0) {
    words += ", scale " + Figure(spend.noise->scale, kDigits);
  }
  if (spend.noise->sensitivity > 0) {
    words += ", sensitivity " + Figure(spend.noise->sensitivity, kDigits);
  }
  return words;
}

Json ToJson(const Spend& spend) {
  const ApproximateDp total = Total(spend);
  Json json = Json::Object{{"name", spend.name},
                           {"rule", RuleName(spend.rule)},
                           {"epsilon", total.epsilon},
                           {"delta", total.delta},
                           {"steps", spend.steps}};
  if (spend.noise) {
    json["noise"] = Json::Object{{"kind", ToString(spend.noise->kind)},
                                 {"scale", spend.noise->scale},
                                 {"sensitivity", spend.noise->sensitivity}};
  }
  if (spend.parts.empty()) return json;
  Json parts = Json::Array{};
  for (const Spend& part : spend.parts) parts.Add(ToJson(part));
  json["parts"] = std::move(parts);
  return json;
}

void AddLines(const Spend& spend, int depth, std::vector<SpendLine>& lines) {
  const ApproximateDp total = Total(spend);
  // Parts of a joint part have noise, and no separate cost.
  const bool priced = total.epsilon > 0 || total.delta > 0;
  lines.push_back({.depth = depth,
                   .name = spend.name,
                   .how = RuleWords(spend),
                   .epsilon = priced ? TextUp(total.epsilon) : "",
                   .delta = priced ? TextUp(total.delta) : "",
                   .noise = NoiseWords(spend)});
  for (const Spend& part : spend.parts) AddLines(part, depth + 1, lines);
}

std::string Padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size() + 2, width), ' ');
  return text;
}

std::string LineText(const SpendLine& line) {
  const std::string name =
      std::string(2 * static_cast<std::size_t>(line.depth), ' ') + line.name;
  std::string text = "  " + Padded(name, 30) + Padded(line.how, 14) +
                     Padded(line.epsilon, 11) + Padded(line.delta, 11) +
                     line.noise;
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

}  // namespace

Json SpendJson(const Guarantee& guarantee) {
  if (guarantee.spend().name.empty()) return {};
  return ToJson(guarantee.spend());
}

std::vector<SpendLine> SpendTable(const Guarantee& guarantee) {
  std::vector<SpendLine> lines;
  if (!guarantee.spend().name.empty()) AddLines(guarantee.spend(), 0, lines);
  return lines;
}

std::string SpendText(const Guarantee& guarantee) {
  const std::vector<SpendLine> lines = SpendTable(guarantee);
  if (lines.empty()) return "";
  std::string text =
      "Where the budget goes:\n" + LineText({.name = "part",
                                             .how = "how",
                                             .epsilon = "epsilon",
                                             .delta = "delta",
                                             .noise = "noise"});
  for (const SpendLine& line : lines) text += LineText(line);
  return text;
}

}  // namespace sotto
