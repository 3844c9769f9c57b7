#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"

namespace sotto {

// A finite class of Boolean functions on the points 0 .. N - 1, as a bit
// matrix: public, immutable, and so shared by all its learners.
//
//   auto functions = FiniteClass::Parse("0011\n0110\n");  // 2 on 4 points
//   auto thresholds = FiniteClass::Named("thresholds", 256);
//   bool label = thresholds->Label(17, 3);
//
// No two functions are equal. Files: class_file.h; names: named_class.h.
//
// Threads: thread-safe.
class FiniteClass {
 public:
  // Sets of hypotheses: bit h of word h / 64. Bits past the last are 0.
  using Set = std::vector<std::uint64_t>;

  // 2^30 bits, 128 MB.
  static constexpr std::uint64_t kMaxBits = std::uint64_t{1} << 30;

  // True if function h is 1 at point x.
  using Rule = std::function<bool(std::uint64_t h, std::uint64_t x)>;
  // Requires that no two functions are equal. Fails with kInvalidArgument
  // without a function or a point and above kMaxBits.
  static Result<FiniteClass> Create(std::uint64_t size, std::uint64_t points,
                                    const Rule& rule);
  // A class of named_class.h with one number, such as points and thresholds.
  static Result<FiniteClass> Named(std::string_view name, std::uint64_t points);
  // One function a line, a 0 or 1 for each point; spaces are skipped, and so
  // are lines that are empty or begin with '#'. Duplicate functions are merged.
  // Errors name line and column.
  static Result<FiniteClass> Parse(std::string_view text);

  std::size_t size() const { return size_; }
  std::size_t points() const { return columns_.size(); }
  bool Label(std::size_t hypothesis, std::size_t point) const {
    return columns_[point][hypothesis / 64] >> (hypothesis % 64) & 1;
  }
  // The functions that are 1 at a point.
  const Set& Ones(std::size_t point) const { return columns_[point]; }
  Set All() const;

  // The point that x names by its feature 0, if that is an integer below
  // points(). Learners predict 0 elsewhere and learn nothing there.
  std::optional<std::size_t> FindPoint(FeatureView x) const;

 private:
  FiniteClass(std::size_t size, std::vector<Set> columns)
      : size_(size), columns_(std::move(columns)) {}

  std::size_t size_;
  std::vector<Set> columns_;
};

// The number of hypotheses in the set.
std::size_t CountMembers(std::span<const std::uint64_t> set);
// The first hypothesis. Requires a set that is not empty.
std::size_t FindFirst(std::span<const std::uint64_t> set);
// The functions of the set with that label at the point.
FiniteClass::Set Restrict(const FiniteClass& functions,
                          const FiniteClass::Set& set, std::size_t point,
                          bool label);

}  // namespace sotto
