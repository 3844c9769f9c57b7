#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/int128.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/counters/tree_counter_bound.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/rng.h"

namespace sotto {

// A running count under continual observation: after every step an estimate of
// the number of events so far. A tree of wide nodes over the steps, every node
// with fresh discrete Laplace noise; the step's estimate is a sum of closed
// nodes.
//
//   auto counter = TreeCounter::Create({.epsilon = 1, .horizon = 1'000'000});
//   if (!counter) return counter.error();
//   auto estimate = counter->Add(events_now, rng);
//   double error = counter->ErrorBound();      // for all steps together, 95 %
//
// Paper:     the binary mechanism of Dwork, Naor, Pitassi, Rothblum and of
//            Chan, Shi, Song, with any radix and the estimator from below of
//            Honaker.
// Guarantee: (epsilon, 0)-DP if one step's count changes by one, inputs chosen
//            adaptively; the samplers add a delta, below 1e-16 for epsilon up
//            to 8 and below 1e-13 always: see guarantee().
// Proof:     tree_counter.md.
// Threads:   not thread-safe.
class TreeCounter {
 public:
  struct Params {
    double epsilon = 0;
    std::uint64_t horizon = 0;  // T
    double failure = 0.05;      // beta, of the error bound
    bool with_total = false;    // see TreeShape::Target, as for the next
    std::vector<std::uint64_t> radices = {};
  };
  // Sums of this many counts per step stay exact for every horizon.
  static constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 31;
  static constexpr std::uint64_t kMaxHorizon = std::uint64_t{1} << 31;

  // Fails with kInvalidArgument unless epsilon is in [2^-20, 16], horizon in
  // [1, kMaxHorizon] and failure in [1e-10, 1), and any radices make a tree
  // that, with_total, holds no more than 3 * 2^30 steps.
  static Result<TreeCounter> Create(const Params& params);

  // One step. Fails, and changes nothing, with kInvalidArgument above kMaxCount
  // and with kFailedPrecondition after horizon() steps.
  Result<std::int64_t> Add(std::uint64_t count, Rng& rng);

  // Adds one step for each count. Same distribution as Add, at a fifth of the
  // cost; uses the words of `rng` in another order. Requires spans of equal
  // length. Fails like Add, before the first step.
  Status AddBatch(std::span<const std::uint64_t> counts,
                  std::span<std::int64_t> estimates, Rng& rng);

  std::uint64_t steps() const { return steps_; }
  // At least params.horizon; more with_total.
  std::uint64_t horizon() const { return shape_.horizon; }
  const TreeShape& shape() const { return shape_; }
  const Guarantee& guarantee() const { return guarantee_; }
  // With probability 1 - failure no estimate is off by more.
  double ErrorBound() const { return shape_.ErrorBound(params_.failure); }

  // The bytes hold true counts: they are as secret as the data.
  void Save(ByteWriter& writer) const;
  // Fails as Create does, and with kCorruption if the bytes are not those of a
  // counter with exactly these parameters. Continue one state once only: two
  // continuations are not covered by guarantee().
  static Result<TreeCounter> Load(const Params& params, ByteReader& reader);

 private:
  struct Level {
    std::uint64_t digit = 0;  // closed nodes under the open parent
    std::int64_t sum = 0;     // their true counts
    Int128 estimate = 0;      // their estimates, 2^-kFractionBits
  };
  static constexpr int kFractionBits = 20;

  TreeCounter(Params params, TreeShape shape, FixedWorkLaplace noise,
              Guarantee guarantee);
  Status CheckRoom(std::span<const std::uint64_t> counts) const;
  // Closes the leaf of this step and every node that it completes; `noisy` adds
  // one noise to the sum of each.
  template <typename Noisy>
  std::int64_t Step(std::uint64_t count, const Noisy& noisy);

  Params params_;
  TreeShape shape_;
  FixedWorkLaplace noise_;
  Guarantee guarantee_;
  std::vector<Level> levels_;
  Int128 prefix_ = 0;  // the sum of all estimates in levels_
  std::uint64_t steps_ = 0;
};

}  // namespace sotto
