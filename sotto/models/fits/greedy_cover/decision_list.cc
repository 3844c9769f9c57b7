#include "sotto/models/fits/greedy_cover/decision_list.h"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <utility>

#include "sotto/models/fits/greedy_cover/list_simplifier.h"

namespace sotto {
namespace {

using Kind = FitColumn::Kind;

bool Holds(const FitColumns& columns, const Literal& literal,
           std::span<const std::uint32_t> codes) {
  const Atom& atom = literal.atom;
  return AtomHolds(columns[atom.column], atom.place, codes[atom.column]) ==
         literal.holds;
}

// Nine digits tell cuts apart and spare the reader the rest.
std::string NumberText(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.9g", value);
  return buffer;
}

std::string PlaceText(const FitColumn& column, std::uint32_t place) {
  return column.kind == Kind::kHashed ? "bucket " + std::to_string(place)
                                      : column.values[place];
}

std::string LiteralText(const FitColumns& columns, const Literal& literal) {
  const FitColumn& column = columns[literal.atom.column];
  if (column.kind == Kind::kBoolean) {
    return (literal.holds ? "" : "not ") + column.name;
  }
  if (column.kind == Kind::kCuts) {
    return column.name + (literal.holds ? " >= " : " < ") +
           NumberText(column.cuts[literal.atom.place]);
  }
  return column.name + (literal.holds ? " is " : " is not ") +
         PlaceText(column, literal.atom.place);
}

std::string RuleText(const FitColumns& columns, const ListRule& rule) {
  std::string text;
  for (const Literal& literal : rule.literals) {
    text += (text.empty() ? "" : " and ") + LiteralText(columns, literal);
  }
  return text.empty() ? "always" : text;
}

// "   [about 120 rows, 97 % right]"
std::string ShareText(std::span<const RuleShare> shares, bool label,
                      double scale) {
  std::int64_t right = 0;
  std::int64_t wrong = 0;
  for (const RuleShare& share : shares) {
    right += label ? share.positive : share.negative;
    wrong += label ? share.negative : share.positive;
  }
  right = std::max<std::int64_t>(right, 0);
  const std::int64_t rows = right + std::max<std::int64_t>(wrong, 0);
  std::string text = "   [about " + std::to_string(rows) + " rows";
  if (rows > 0 && static_cast<double>(rows) >= 10 * scale) {
    char share[32];
    std::snprintf(share, sizeof share, ", %.3g%% right",
                  100 * static_cast<double>(right) / static_cast<double>(rows));
    text += share;
  }
  return text + "]";
}

// Returns true if the rule is "column is value".
bool AsksForValue(const FitColumns& columns, const ListRule& rule) {
  if (rule.literals.size() != 1 || !rule.literals[0].holds) return false;
  const Kind kind = columns[rule.literals[0].atom.column].kind;
  return kind == Kind::kCategory || kind == Kind::kHashed;
}

bool SameLine(const FitColumns& columns, const ListRule& a, const ListRule& b) {
  return a.label == b.label && AsksForValue(columns, a) &&
         AsksForValue(columns, b) &&
         a.literals[0].atom.column == b.literals[0].atom.column;
}

}  // namespace

Result<DecisionList> DecisionList::Create(FitColumns columns,
                                          std::vector<ListRule> rules,
                                          bool otherwise) {
  for (const ListRule& rule : rules) {
    for (const Literal& literal : rule.literals) {
      if (literal.atom.column >= columns.size()) {
        return InvalidArgument("a rule names a column that does not exist");
      }
      const FitColumn& column = columns[literal.atom.column];
      if (literal.atom.place >= CountAtoms(column)) {
        return InvalidArgument("a rule names no value of column '" +
                               column.name + "'");
      }
    }
  }
  return DecisionList(std::move(columns), std::move(rules), otherwise);
}

bool DecisionList::Predict(std::span<const std::uint32_t> codes) const {
  for (const ListRule& rule : rules_) {
    const bool fires = std::ranges::all_of(
        rule.literals,
        [&](const Literal& l) { return Holds(columns_, l, codes); });
    if (fires) return rule.label;
  }
  return otherwise_;
}

DecisionList DecisionList::Simplified() const {
  auto [rules, otherwise] = SimplifyRules(columns_, rules_, otherwise_);
  return {columns_, std::move(rules), otherwise};
}

std::size_t DecisionList::lines() const {
  std::size_t lines = 0;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (i == 0 || !SameLine(columns_, rules_[i - 1], rules_[i])) ++lines;
  }
  return lines;
}

std::string DecisionList::Text(const FitLabels& labels,
                               std::span<const RuleShare> shares,
                               double share_scale) const {
  assert(shares.empty() || shares.size() == rules_.size() + 1);
  const auto caught = [&](std::size_t first, std::size_t last) {
    return shares.empty() ? std::string()
                          : ShareText(shares.subspan(first, last - first + 1),
                                      last < rules_.size() ? rules_[last].label
                                                           : otherwise_,
                                      share_scale);
  };
  std::string text;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const std::size_t first = i;
    text += (i == 0 ? "if " : "else if ") + RuleText(columns_, rules_[i]);
    for (;
         i + 1 < rules_.size() && SameLine(columns_, rules_[i], rules_[i + 1]);
         ++i) {
      const Atom& atom = rules_[i + 1].literals[0].atom;
      text += " or " + PlaceText(columns_[atom.column], atom.place);
    }
    text += " then " + labels.Name(rules_[i].label) + caught(first, i) + "\n";
  }
  return text + (rules_.empty() ? "always " : "else ") +
         labels.Name(otherwise_) + caught(rules_.size(), rules_.size()) + "\n";
}

}  // namespace sotto
