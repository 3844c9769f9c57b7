#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sotto/learners/classes/littlestone_dimension.h"

namespace sotto {

// Finds points that reduce a set of functions: with the labels of the standard
// optimal algorithm they leave a smaller Littlestone dimension. A set that no k
// points reduce is k-irreducible.
//
//   LittlestoneDimension dimension(functions);
//   Irreducibility irreducibility(dimension);
//   auto witness = irreducibility.Reduces(functions.All(), 3);
//   // points, at most 3, or none: 3-irreducible
//
// Exact, in time exponential in the number of points.
//
// Paper:   [Littlestone] Definition 4.1.
// Proof:   classes.md, steps 5 to 7.
// Threads: not thread-safe. The dimension must outlive it and have no node
// limit.
class Irreducibility {
 public:
  using Witness = std::vector<std::size_t>;

  explicit Irreducibility(LittlestoneDimension& dimension)
      : dimension_(&dimension) {}

  // Bounds of the fewest points that reduce a set.
  struct Fewest {
    std::uint64_t irreducible = 0;  // it is k-irreducible for k up to this
    std::optional<Witness> witness = {};  // not always the fewest
    bool exact() const {
      return !witness || witness->size() == irreducible + 1;
    }
  };
  // Stops after about `steps` steps, or once irreducibility is large enough.
  // Without a witness nothing reduces the set.
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
  Fewest Search(const FiniteClass::Set& set, std::uint64_t steps,
                std::uint64_t enough = kNoLimit);

  // The fewest points, if at most `points` are enough.
  std::optional<Witness> Reduces(const FiniteClass::Set& set,
                                 std::uint64_t points);
  bool IsIrreducible(const FiniteClass::Set& set, std::uint64_t points);
  // Points that reduce the set, maybe not the fewest: quick, and a proof that
  // it is reducible. None if nothing does.
  std::optional<Witness> ReducesGreedily(const FiniteClass::Set& set);

 private:
  // The functions that a point leaves.
  struct Cut {
    std::size_t point = 0;
    FiniteClass::Set kept = {};
  };
  // The minimal cuts of a set of that dimension.
  std::vector<Cut> FindCuts(const FiniteClass::Set& set);
  Answer Choose(const FiniteClass::Set& left, const std::vector<Cut>& cuts,
                std::size_t from, std::uint64_t points, Witness& witness);

  // True if it is known that no `points` points reduce the set.
  bool IsKnown(const FiniteClass::Set& set, std::uint64_t points) const;

  LittlestoneDimension* dimension_;
  int wanted_ = 0;           // the dimension to get below, of the search
  std::uint64_t steps_ = 0;  // left to it
  // The largest proved irreducibility of each set.
  std::map<FiniteClass::Set, std::uint64_t> known_;
};

}  // namespace sotto
