#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sotto/learners/classes/littlestone_dimension.h"

namespace sotto {

// Whether some points reduce a set of functions: labelled as the standard
// optimal algorithm labels them, they leave a smaller Littlestone dimension. A
// set that no k points reduce is k-irreducible.
//
//   LittlestoneDimension dimension(functions);
//   Irreducibility irreducibility(dimension);
//   auto witness = irreducibility.Reduces(functions.All(), 3);
//   // points, at most 3, or none: 3-irreducible
//
// Exact, in time exponential in the number of points it takes.
//
// Paper:   [Littlestone] Definition 4.1.
// Proof:   classes.md, steps 5 to 7.
// Threads: not thread-safe. The dimension must outlive it, and never give up.
class Irreducibility {
 public:
  using Witness = std::vector<std::size_t>;

  explicit Irreducibility(LittlestoneDimension& dimension)
      : dimension_(&dimension) {}

  // What is known of the fewest points that reduce a set.
  struct Fewest {
    std::uint64_t irreducible = 0;  // it is k-irreducible for k up to this
    std::optional<Witness> witness = {};  // not always the fewest
    bool exact() const {
      return !witness || witness->size() == irreducible + 1;
    }
  };
  // Gives up after about so many steps, and once it is irreducible enough.
  // Without a witness nothing reduces it.
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
  Fewest Search(const FiniteClass::Set& set, std::uint64_t steps,
                std::uint64_t enough = kNoLimit);

  // As few points as there can be, if at most `points` do.
  std::optional<Witness> Reduces(const FiniteClass::Set& set,
                                 std::uint64_t points);
  bool IsIrreducible(const FiniteClass::Set& set, std::uint64_t points);
  // Points that reduce the set, maybe not the fewest: quick, and proof enough
  // that it is reducible. None if nothing does.
  std::optional<Witness> ReducesGreedily(const FiniteClass::Set& set);

 private:
  // What a point leaves.
  struct Cut {
    std::size_t point = 0;
    FiniteClass::Set kept = {};
  };
  // The cuts that no other is below, of a set and its dimension.
  std::vector<Cut> FindCuts(const FiniteClass::Set& set);
  Answer Choose(const FiniteClass::Set& left, const std::vector<Cut>& cuts,
                std::size_t from, std::uint64_t points, Witness& witness);

  // That no so many points reduce it.
  bool IsKnown(const FiniteClass::Set& set, std::uint64_t points) const;

  LittlestoneDimension* dimension_;
  int wanted_ = 0;           // the dimension to get below, of the search
  std::uint64_t steps_ = 0;  // left to it
  // The most points that a set was proved not to be reduced by.
  std::map<FiniteClass::Set, std::uint64_t> known_;
};

}  // namespace sotto
