// A hypothesis as text.
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/models/fits/fit_file.h"
#include "sotto/models/fits/fit_simplifier.h"

namespace sotto {
namespace {

// Enough digits for a person.
std::string Short(double number) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number,
                                 std::chars_format::general, 6);
  return {text, end.ptr};
}

std::string Question(const FitFile& file, const FitTest& test, bool holds) {
  const FitColumn& column = file.columns[test.column];
  if (test.kind == Split::Kind::kAtLeast) {
    return column.name + (holds ? " >= " : " < ") +
           Short(column.NumberAt(test.code));
  }
  const std::string value = column.kind == FitColumn::Kind::kPoint
                                ? std::to_string(test.code)
                                : column.values[test.code];
  return column.name + (holds ? " is " : " is not ") + value;
}

// Questions in a row that must all hold for the label, and where to go
// otherwise.
struct Rule {
  std::string conditions;
  bool label = false;
  std::int32_t otherwise = 0;
};

// The rule that begins here. If `yes_first`, "yes" leads to its end and "no"
// elsewhere.
std::optional<Rule> RuleAt(const FitFile& file, std::int32_t at,
                           bool yes_first) {
  const std::vector<FitTest>& tests = file.hypothesis.tests();
  Rule rule;
  const FitTest& first = tests[static_cast<std::size_t>(at)];
  rule.otherwise = yes_first ? first.no : first.yes;
  std::int32_t now = at;
  while (now >= 0) {
    const FitTest& test = tests[static_cast<std::size_t>(now)];
    const bool holds = test.no == rule.otherwise && (now != at || yes_first);
    if (!holds && test.yes != rule.otherwise) return std::nullopt;
    rule.conditions +=
        (rule.conditions.empty() ? "" : " and ") + Question(file, test, holds);
    now = holds ? test.yes : test.no;
    if (now == rule.otherwise) return std::nullopt;
  }
  rule.label = now == FitTest::kPositive;
  return rule;
}

// As a list of rules, if it is one.
std::optional<std::string> ListText(const FitFile& file) {
  std::string text;
  std::int32_t at = 0;
  while (at >= 0) {
    const FitTest& test = file.hypothesis.tests()[static_cast<std::size_t>(at)];
    // The way that ends first is the rule's.
    const bool yes_first = test.yes < 0 || (test.no >= 0 && test.yes < test.no);
    const auto rule = RuleAt(file, at, yes_first);
    if (!rule) return std::nullopt;
    text += (text.empty() ? "if " : "else if ") + rule->conditions + " then " +
            file.labels.Name(rule->label) + "\n";
    at = rule->otherwise;
  }
  return text + "else " + file.labels.Name(at == FitTest::kPositive) + "\n";
}

void TreeText(const FitFile& file, std::int32_t at, std::size_t depth,
              std::string& text) {
  const std::string margin(2 * depth, ' ');
  if (at < 0) {
    text += margin + file.labels.Name(at == FitTest::kPositive) + "\n";
    return;
  }
  const FitTest& test = file.hypothesis.tests()[static_cast<std::size_t>(at)];
  if (test.yes == test.no) return TreeText(file, test.yes, depth, text);
  const auto leaf = [&](std::int32_t to) {
    return to < 0 ? " " + file.labels.Name(to == FitTest::kPositive) + "\n"
                  : std::string("\n");
  };
  text += margin + "if " + Question(file, test, true) + ":" + leaf(test.yes);
  if (test.yes >= 0) TreeText(file, test.yes, depth + 1, text);
  text += margin + "else:" + leaf(test.no);
  if (test.no >= 0) TreeText(file, test.no, depth + 1, text);
}

std::string TableText(const FitFile& file) {
  const std::vector<bool>& table = file.hypothesis.table();
  std::string text = file.labels.positive + " on the points";
  bool any = false;
  for (std::size_t begin = 0; begin < table.size();) {
    std::size_t end = begin;
    while (end < table.size() && table[end] == table[begin]) ++end;
    if (table[begin]) {
      text += (any ? ", " : " ") + std::to_string(begin);
      if (end > begin + 1) text += " to " + std::to_string(end - 1);
      any = true;
    }
    begin = end;
  }
  if (!any) return "always " + file.labels.negative + "\n";
  return text + ", elsewhere " + file.labels.negative + "\n";
}

}  // namespace

std::string FitFile::Text() const {
  if (!hypothesis.table().empty()) return TableText(*this);
  FitFile simple = *this;
  simple.hypothesis = Simplified(hypothesis);
  const std::int32_t root = simple.hypothesis.root();
  if (root < 0) {
    return "always " + labels.Name(root == FitTest::kPositive) + "\n";
  }
  if (auto list = ListText(simple)) return *list;
  std::string text;
  TreeText(simple, root, 0, text);
  return text;
}

}  // namespace sotto
