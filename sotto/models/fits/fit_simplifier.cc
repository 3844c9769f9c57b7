#include "sotto/models/fits/fit_simplifier.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace sotto {
namespace {

// Known facts about a column: its code is in [low, high] and none of `not_`.
struct Known {
  std::uint32_t low = 0;
  std::uint32_t high = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> not_ = {};
};
using AllKnown = std::map<std::uint32_t, Known>;

// The answer, if it is settled.
std::optional<bool> AnswerTo(const FitTest& test, const Known& known) {
  if (test.kind == Split::Kind::kAtLeast) {
    if (known.low >= test.code) return true;
    if (known.high < test.code) return false;
    return std::nullopt;
  }
  const bool out = test.code < known.low || test.code > known.high ||
                   std::ranges::find(known.not_, test.code) != known.not_.end();
  if (out) return false;
  if (known.low == known.high) return true;
  return std::nullopt;
}

// Facts after that answer, which the earlier ones leave open.
Known After(const FitTest& test, bool holds, Known known) {
  if (test.kind == Split::Kind::kEquals) {
    if (holds) {
      known.low = known.high = test.code;
    } else {
      known.not_.push_back(test.code);
    }
  } else if (holds) {
    known.low = test.code;
  } else {
    known.high = test.code - 1;
  }
  return known;
}

class Simplifier {
 public:
  explicit Simplifier(const std::vector<FitTest>& tests) : tests_(tests) {}

  // Where the simpler questions begin: a place, or a label.
  std::int32_t Copy(std::int32_t at, const AllKnown& known) {
    if (at < 0) return at;
    const FitTest& test = tests_[static_cast<std::size_t>(at)];
    const auto place = known.find(test.column);
    const Known now = place == known.end() ? Known() : place->second;
    if (const auto answer = AnswerTo(test, now)) {
      return Copy(*answer ? test.yes : test.no, known);
    }
    const std::size_t mine = simple_.size();
    simple_.push_back(test);
    const std::int32_t yes = Copy(test.yes, With(known, test, true, now));
    const std::int32_t no = Copy(test.no, With(known, test, false, now));
    if (yes < 0 && yes == no) {
      simple_.resize(mine);
      return yes;
    }
    simple_[mine].yes = yes;
    simple_[mine].no = no;
    return static_cast<std::int32_t>(mine);
  }
  std::vector<FitTest> Take() { return std::move(simple_); }

 private:
  static AllKnown With(AllKnown known, const FitTest& test, bool holds,
                       const Known& now) {
    known[test.column] = After(test, holds, now);
    return known;
  }

  const std::vector<FitTest>& tests_;
  std::vector<FitTest> simple_;
};

// Returns true if no question is reached in two ways.
bool IsTree(const std::vector<FitTest>& tests) {
  std::vector<int> reached(tests.size());
  for (const FitTest& test : tests) {
    for (const std::int32_t to : {test.yes, test.no}) {
      if (to >= 0 && ++reached[static_cast<std::size_t>(to)] > 1) return false;
    }
  }
  return true;
}

}  // namespace

FitHypothesis Simplified(const FitHypothesis& hypothesis) {
  if (hypothesis.root() < 0 || !hypothesis.table().empty() ||
      !IsTree(hypothesis.tests())) {
    return hypothesis;
  }
  Simplifier simplifier(hypothesis.tests());
  const std::int32_t root = simplifier.Copy(hypothesis.root(), {});
  if (root < 0) return FitHypothesis::Constant(root == FitTest::kPositive);
  return FitHypothesis(simplifier.Take());
}

}  // namespace sotto
