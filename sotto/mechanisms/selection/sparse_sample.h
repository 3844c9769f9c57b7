#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"
#include "sotto/random/exponential_selection.h"
#include "sotto/random/rng.h"

namespace sotto {

// Draws an item out of an unbounded universe, with probability proportional to
// e^(e * the number of lists it is on), or nothing, with weight
// e^(e * bottom).
//
//   auto sample = SparseSample::Create({.epsilon = 1, .delta = 1e-6,
//                                       .list_size = 100, .max_lists = 1000});
//   if (!sample) return sample.error();
//   auto item = sample->Sample(lists, rng);        // Result<optional<item>>
//
// Paper:     [Littlestone] Algorithm 1 (PrivateSample) and Lemma 3.1; bottom is
//            the least integer that will do, a tenth of the lemma's.
// Guarantee: (epsilon, delta)-DP for one list added or removed, or for one
//            replaced, as Params.relation says: the rate e of the weights is
//            epsilon, or half of it. Both deltas are attained.
// Proof:     sparse_sample.md.
// Threads:   immutable; const calls may run at the same time.
class SparseSample {
 public:
  using Item = std::uint64_t;
  struct Params {
    double epsilon = 0;
    double delta = 0;
    std::size_t list_size = 0;  // L: longer lists are cut to their least items
    // Public, and beyond any number that can occur: a call with more fails.
    std::size_t max_lists = 0;
    Relation relation = Relation::kAddRemove;  // or kReplace
  };

  // The epsilon of Params is the one of the relation. Fails with
  // kInvalidArgument unless epsilon is in [2^-30, 16], delta in (0, 1) and
  // above the sampler's slack, list_size * max_lists in [1, 2^24).
  static Result<SparseSample> Create(const Params& params);

  // Lists are sets: an item that is twice on one list counts once. Time
  // depends on the lists. Fails with kInvalidArgument if there are more than
  // max_lists, which under add-remove is a private number: see Params.
  Result<std::optional<Item>> Sample(std::span<const std::vector<Item>> lists,
                                     Rng& rng) const;
  // The results of `draws` calls of Sample. Each draw costs the guarantee.
  Result<std::vector<std::optional<Item>>> SampleMany(
      std::span<const std::vector<Item>> lists, std::size_t draws,
      Rng& rng) const;

  std::int64_t bottom() const { return bottom_; }  // B
  // The least score such that nothing is drawn with probability at most
  // `failure` once some item has it.
  std::int64_t ScoreFor(double failure) const;
  const Guarantee& guarantee() const { return guarantee_; }

 private:
  SparseSample(const Params& params, double rate, std::int64_t bottom,
               ExponentialSelection selection, Guarantee guarantee)
      : params_(params),
        rate_(rate),
        bottom_(bottom),
        selection_(std::move(selection)),
        guarantee_(std::move(guarantee)) {}

  Params params_;
  double rate_;
  std::int64_t bottom_;
  ExponentialSelection selection_;
  Guarantee guarantee_;
};

// The delta of bottom = B at this rate, rounded up: y / (1 + y) with
// y = list_size * e^(rate (1 - B)).
double SparseSampleDelta(double rate, std::size_t list_size, std::int64_t b);

}  // namespace sotto
