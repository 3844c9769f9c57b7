#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/models/fits/fit_columns.h"

namespace sotto {

// A yes-or-no question about one column: is the category this one, is the
// Boolean true, is the number at least the cut.
struct Atom {
  std::uint32_t column = 0;
  std::uint32_t place = 0;  // of the value, bucket or cut; 0 for a Boolean
  friend bool operator==(const Atom&, const Atom&) = default;
};

// Number of atoms of a column. Every column has one code more, where none of
// them holds, but for buckets. Requires: no kNumber and no kPoint.
std::uint32_t CountAtoms(const FitColumn& column);
std::uint32_t CountCodes(const FitColumn& column);

// Returns true if the atom at `place` holds for a code.
inline bool AtomHolds(const FitColumn& column, std::uint32_t place,
                      std::uint32_t code) {
  if (column.kind == FitColumn::Kind::kBoolean) return code == 1;
  return column.kind == FitColumn::Kind::kCuts ? code > place : code == place;
}

// Up to three atoms, each of which must hold (or must not). None: always true.
struct Conjunction {
  static constexpr std::size_t kMaxLiterals = 3;
  std::array<std::uint32_t, kMaxLiterals> atoms{};  // ascending
  std::uint8_t size = 0;
  std::uint8_t signs = 0;  // bit i: atom i must hold
  bool sign(std::size_t i) const { return ((signs >> i) & 1) != 0; }
  friend bool operator==(const Conjunction&, const Conjunction&) = default;
};

// All conjunctions of up to `literals` literals over the columns, without those
// that are empty or repeat a shorter one. The list is public; no column of
// truth values is ever built for a conjunction.
//
//   auto space = RuleSpace::Create(columns, 2);
//   space->conjunctions()[0]   // the one that always holds
//
// Threads: immutable; calls may run at the same time.
class RuleSpace {
 public:
  // Fails with kInvalidArgument unless literals is 1, 2 or 3 and there are at
  // most 2^23 conjunctions (two rules each).
  static Result<RuleSpace> Create(const FitColumns& columns,
                                  std::uint32_t literals);

  const FitColumns& columns() const { return columns_; }
  std::uint32_t literals() const { return literals_; }
  const std::vector<Atom>& atoms() const { return atoms_; }
  // The first atom of a column; those of one column are neighbours.
  std::uint32_t first_atom(std::size_t column) const { return first_[column]; }
  const std::vector<Conjunction>& conjunctions() const { return conjunctions_; }

 private:
  RuleSpace(FitColumns columns, std::uint32_t literals)
      : columns_(std::move(columns)), literals_(literals) {}
  void AddAtoms();
  bool Extend(const Conjunction& base, std::size_t limit);
  bool Redundant(const Conjunction& conjunction) const;

  FitColumns columns_;
  std::uint32_t literals_;
  std::vector<Atom> atoms_;
  std::vector<std::uint32_t> first_;
  std::vector<Conjunction> conjunctions_;
};

}  // namespace sotto
