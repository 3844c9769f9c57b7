#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/models/fits/greedy_cover/cover_data.h"
#include "sotto/models/fits/greedy_cover/rule_space.h"

namespace sotto {

// How many rows of either label every conjunction still covers, while rows
// leave.
//
//   CoverCounts counts(data, space.literals());
//   auto [negative, positive] = counts.Of(conjunction);
//   counts.Cover(conjunction);   // its rows leave
//
// Counted are sets of atoms that hold; literals that must not hold follow by
// inclusion and exclusion. Each row is counted once when it comes and once when
// it leaves, 64 rows at a time: O(rows * sets / 64) in all, for any number of
// rules.
//
// Threads: not thread-safe.
class CoverCounts {
 public:
  // `data` must outlive this.
  CoverCounts(const CoverData& data, std::uint32_t literals);

  // Rows still there that the conjunction covers: label 0, label 1.
  std::array<std::int64_t, 2> Of(const Conjunction& conjunction) const;
  void Cover(const Conjunction& conjunction);

 private:
  using Bits = CoverData::Bits;
  struct Counts {
    std::vector<std::int64_t> singles;
    std::vector<std::int64_t> pairs;    // i < j at j (j - 1) / 2 + i
    std::vector<std::int64_t> triples;  // + l (l - 1) (l - 2) / 6
    std::int64_t all = 0;
  };

  Bits Covered(std::size_t label, const Conjunction& conjunction) const;
  // Adds `sign` for every row whose bit is set.
  void Count(std::size_t label, const Bits& rows, std::int64_t sign);
  void CountSets(Counts& counts, const std::vector<Bits>& atoms,
                 std::int64_t sign) const;
  std::int64_t Held(std::size_t label, const Conjunction& conjunction,
                    unsigned which) const;

  const CoverData* data_;
  std::uint32_t literals_;
  std::array<Bits, 2> alive_;
  std::array<Counts, 2> counts_;
};

}  // namespace sotto
