#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/models/fits/greedy_cover/rule_space.h"

namespace sotto {

// The rows of a table, as one bit for every row and atom, those of either label
// apart.
//
//   CoverData data(space);
//   data.Add(codes, label);
//
// A row is not kept: a million rows of a hundred Booleans are 12.5 MB.
//
// Threads: not thread-safe while rows are added.
class CoverData {
 public:
  using Bits = std::vector<std::uint64_t>;

  // `space` is copied where needed; it need not outlive this.
  explicit CoverData(const RuleSpace& space);

  // Requires: a code for each column, as FitColumns::Encode gives them.
  void Add(std::span<const std::uint32_t> codes, bool label);

  std::size_t rows() const { return rows_[0] + rows_[1]; }
  std::size_t rows(bool label) const { return rows_[label ? 1 : 0]; }
  std::size_t atoms() const { return bits_[0].size(); }
  // Bit r of word r / 64: whether the atom holds for row r of that label.
  const Bits& bits(bool label, std::size_t atom) const {
    return bits_[label ? 1 : 0][atom];
  }

 private:
  FitColumns columns_;
  std::vector<std::uint32_t> first_;
  std::array<std::vector<Bits>, 2> bits_;
  std::array<std::size_t, 2> rows_{};
};

}  // namespace sotto
