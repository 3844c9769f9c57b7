#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "sotto/learners/finite_class.h"

namespace sotto {

// The Littlestone dimension of subsets of one finite class, exactly: the depth
// of the deepest complete tree of points on which every path of labels is that
// of some function; -1 for no function at all.
//
//   LittlestoneDimension dimension(functions);
//   int d = dimension.Of(functions.All());
//
// It remembers what it has computed, as a pure function of the class and the
// subset. It is meant to be local to one computation: shared between learners
// it would let the time of one tell of the data of another.
//
// Proof: learners.md, section 5.
// Threads: not thread-safe. The class must outlive it.
class LittlestoneDimension {
 public:
  // Gives up after about so many steps, each a word of a column.
  explicit LittlestoneDimension(const FiniteClass& functions,
                                std::uint64_t max_work = UINT64_MAX)
      : functions_(&functions), work_left_(max_work) {}

  int Of(const FiniteClass::Set& set);
  // If so, answers since then may be too small.
  bool gave_up() const { return gave_up_; }

 private:
  // At least low and less than high, both proved.
  struct Known {
    int low;
    int high;
  };

  bool AtLeast(const FiniteClass::Set& set, int depth);
  bool Splits(const FiniteClass::Set& set, int depth);

  const FiniteClass* functions_;
  std::uint64_t work_left_;
  bool gave_up_ = false;
  std::map<FiniteClass::Set, Known> known_;
};

}  // namespace sotto
