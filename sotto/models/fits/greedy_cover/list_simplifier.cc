#include "sotto/models/fits/greedy_cover/list_simplifier.h"

#include <algorithm>
#include <map>
#include <utility>

namespace sotto {
namespace {

// Some cells of a column.
using Cells = std::vector<bool>;

// A product of cell sets; a column that is not listed is unrestricted.
using Box = std::map<std::uint32_t, Cells>;

bool IsEmpty(const Cells& cells) {
  return std::ranges::find(cells, true) == cells.end();
}

Cells Intersection(Cells a, const Cells& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i] && b[i];
  return a;
}

bool IsSubset(const Cells& a, const Cells& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] && !b[i]) return false;
  }
  return true;
}

Cells FindCells(const FitColumns& columns, const Literal& literal) {
  const FitColumn& column = columns[literal.atom.column];
  Cells cells(CountCodes(column));
  for (std::uint32_t code = 0; code < cells.size(); ++code) {
    cells[code] = AtomHolds(column, literal.atom.place, code) == literal.holds;
  }
  return cells;
}

class Simplifier {
 public:
  explicit Simplifier(const FitColumns& columns) {
    for (const FitColumn& column : columns.all()) {
      left_.emplace_back(CountCodes(column), true);
    }
    columns_ = &columns;
  }

  // False once a rule holds for all that is left: it is the "else".
  bool Add(const ListRule& rule) {
    ListRule kept{.literals = {}, .label = rule.label};
    Box box;
    for (const Literal& literal : rule.literals) {
      const std::uint32_t c = literal.atom.column;
      const Cells cells = FindCells(*columns_, literal);
      const Cells before = box.contains(c) ? box[c] : left_[c];
      if (IsSubset(before, cells)) continue;  // Says nothing new.
      box[c] = Intersection(before, cells);
      if (IsEmpty(box[c])) return true;  // Can never hold.
      kept.literals.push_back(literal);
    }
    if (kept.literals.empty()) return false;
    const auto shadows = [&](const Box& earlier) {
      return Covers(earlier, box);
    };
    if (std::ranges::any_of(boxes_, shadows)) return true;
    if (box.size() == 1) {
      // A rule on one column takes its cells away from all later ones.
      auto& [c, cells] = *box.begin();
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i]) left_[c][i] = false;
      }
    }
    own_.push_back(OwnBox(kept));
    rules_.push_back(std::move(kept));
    boxes_.push_back(std::move(box));
    return true;
  }

  // Drops rules that say what would be said without them.
  void DropIdle(bool otherwise) {
    for (std::size_t i = rules_.size(); i-- > 0;) {
      if (rules_[i].label != otherwise) continue;
      bool idle = true;
      for (std::size_t j = i + 1; j < rules_.size() && idle; ++j) {
        idle = rules_[j].label == otherwise || Disjoint(own_[i], own_[j]);
      }
      if (!idle) continue;
      rules_.erase(rules_.begin() + static_cast<std::ptrdiff_t>(i));
      own_.erase(own_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  std::vector<ListRule> Take() { return std::move(rules_); }

 private:
  Box OwnBox(const ListRule& rule) const {
    Box box;
    for (const Literal& literal : rule.literals) {
      const Cells cells = FindCells(*columns_, literal);
      const auto [side, added] = box.emplace(literal.atom.column, cells);
      if (!added) side->second = Intersection(side->second, cells);
    }
    return box;
  }
  static bool Covers(const Box& outer, const Box& inner) {
    return std::ranges::all_of(outer, [&](const auto& side) {
      const auto found = inner.find(side.first);
      return found != inner.end() && IsSubset(found->second, side.second);
    });
  }
  static bool Disjoint(const Box& a, const Box& b) {
    return std::ranges::any_of(a, [&](const auto& side) {
      const auto found = b.find(side.first);
      return found != b.end() &&
             IsEmpty(Intersection(side.second, found->second));
    });
  }

  const FitColumns* columns_;
  std::vector<Cells> left_;
  std::vector<ListRule> rules_;
  std::vector<Box> boxes_;  // what reaches the rule and makes it hold
  std::vector<Box> own_;    // what makes it hold, whatever comes before
};

SimplifiedRules Once(const FitColumns& columns,
                     const std::vector<ListRule>& rules, bool otherwise) {
  Simplifier simplifier(columns);
  for (const ListRule& rule : rules) {
    if (!simplifier.Add(rule)) {
      otherwise = rule.label;
      break;
    }
  }
  simplifier.DropIdle(otherwise);
  return {simplifier.Take(), otherwise};
}

}  // namespace

SimplifiedRules SimplifyRules(const FitColumns& columns,
                              const std::vector<ListRule>& rules,
                              bool otherwise) {
  SimplifiedRules now = {rules, otherwise};
  for (;;) {
    // A dropped rule can make an earlier one idle, or a later one whole.
    const std::size_t before = now.rules.size();
    now = Once(columns, now.rules, now.otherwise);
    if (now.rules.size() == before) return now;
  }
}

}  // namespace sotto
