#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/models/fits/fit_columns.h"
#include "sotto/models/fits/split_scan.h"

namespace sotto {

// One question of a hypothesis, and where to go from there: to a later
// question, or to a label.
struct FitTest {
  static constexpr std::int32_t kNegative = -1;
  static constexpr std::int32_t kPositive = -2;
  static constexpr std::int32_t Leaf(bool label) {
    return label ? kPositive : kNegative;
  }

  Split::Kind kind = Split::Kind::kAtLeast;  // not kConstant
  std::uint32_t column = 0;
  std::uint32_t code = 0;
  std::int32_t yes = kPositive;
  std::int32_t no = kNegative;
  friend bool operator==(const FitTest&, const FitTest&) = default;
};

// The published result of a fit: questions about columns that lead to a label.
// Constants, thresholds, intervals, stumps, trees and lists are all of this
// form; a function of a finite class is a table instead.
//
//   FitHypothesis stump({{.column = 0, .code = 1U << 31}});
//   bool label = stump.Predict(codes);
//
// Threads: immutable; calls may run at the same time.
class FitHypothesis {
 public:
  FitHypothesis() = default;  // always the negative label
  static FitHypothesis Constant(bool label);
  static FitHypothesis Of(const Split& split);
  static FitHypothesis Table(std::vector<bool> labels);
  // Begins with the first. Requires: Good, for some columns.
  explicit FitHypothesis(std::vector<FitTest> tests)
      : tests_(std::move(tests)), root_(0) {}

  bool Predict(std::span<const std::uint32_t> codes) const {
    if (!table_.empty()) return codes[0] < table_.size() && table_[codes[0]];
    std::int32_t at = root_;
    while (at >= 0) {
      const FitTest& test = tests_[static_cast<std::size_t>(at)];
      const std::uint32_t code = codes[test.column];
      const bool holds = test.kind == Split::Kind::kEquals ? code == test.code
                                                           : code >= test.code;
      at = holds ? test.yes : test.no;
    }
    return at == FitTest::kPositive;
  }

  const std::vector<FitTest>& tests() const { return tests_; }
  const std::vector<bool>& table() const { return table_; }
  // Where it begins: 0, or a label.
  std::int32_t root() const { return root_; }

  void Save(ByteWriter& writer) const;
  // Fails with kCorruption, also if a question makes no sense for the columns.
  static Result<FitHypothesis> Load(const FitColumns& columns,
                                    ByteReader& reader);
  // Returns true if every question is about a column and leads onwards.
  static bool Good(const std::vector<FitTest>& tests,
                   const FitColumns& columns);

  friend bool operator==(const FitHypothesis&, const FitHypothesis&) = default;

 private:
  std::vector<FitTest> tests_;
  std::int32_t root_ = FitTest::kNegative;
  std::vector<bool> table_;
};

}  // namespace sotto
