#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/counters/tree_counter.h"
#include "sotto/random/rng.h"

namespace sotto {

// A running count of unknown length: a tree counter for an epoch, then one
// twice as long, and so on. Closed epochs enter by their noisy totals.
//
//   auto counter = UnknownHorizonCounter::Create({.epsilon = 1});
//   if (!counter) return counter.error();
//   auto estimate = counter->Add(events_now, rng);
//   auto error = counter->ErrorBound(1'000'000);  // of that many steps
//
// Guarantee: (epsilon, 0)-DP if one step's count changes by one, inputs chosen
//            adaptively; the samplers add a delta, below 1e-16 for epsilon up
//            to 8 and below 1e-13 always: see guarantee().
// Proof:     unknown_horizon_counter.md.
// Threads:   not thread-safe.
class UnknownHorizonCounter {
 public:
  struct Params {
    double epsilon = 0;
    std::uint64_t first_epoch = 1024;  // steps, or a few more
    double failure = 0.05;             // beta, of the error bound
    // A node over every epoch: right if there will be many epochs, wasteful if
    // the first is expected to be the last.
    bool with_totals = true;
  };
  static constexpr std::uint64_t kMaxCount = TreeCounter::kMaxCount;
  static constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 31;

  // Fails with kInvalidArgument unless epsilon is in [2^-20, 16], first_epoch
  // in [1, 2^20] and failure in [1e-10, 1).
  static Result<UnknownHorizonCounter> Create(const Params& params);

  // One step. Fails, and changes nothing, with kInvalidArgument above kMaxCount
  // and with kFailedPrecondition after kMaxSteps steps.
  Result<std::int64_t> Add(std::uint64_t count, Rng& rng);
  // See TreeCounter::AddBatch.
  Status AddBatch(std::span<const std::uint64_t> counts,
                  std::span<std::int64_t> estimates, Rng& rng);

  std::uint64_t steps() const { return closed_steps_ + tree_.steps(); }
  const Guarantee& guarantee() const { return guarantee_; }
  // With probability 1 - failure no estimate of the first `steps` is off by
  // more, for one number of steps fixed in advance: not for one that depends on
  // the estimates, nor for all at once. Fails with kInvalidArgument unless
  // steps is in [1, kMaxSteps].
  Result<double> ErrorBound(std::uint64_t steps) const;

  // The bytes hold true counts: they are as secret as the data.
  void Save(ByteWriter& writer) const;
  // Fails as Create does, and with kCorruption if the bytes are not those of a
  // counter with exactly these parameters. Continue one state once only: two
  // continuations are not covered by guarantee().
  static Result<UnknownHorizonCounter> Load(const Params& params,
                                            ByteReader& reader);

 private:
  UnknownHorizonCounter(const Params& params, TreeCounter tree,
                        Guarantee guarantee)
      : params_(params),
        tree_(std::move(tree)),
        guarantee_(std::move(guarantee)) {}
  static TreeCounter::Params Epoch(const Params& params, std::uint64_t index);
  static Result<TreeShape> EpochShape(const Params& params,
                                      std::uint64_t index);
  Status OpenNextEpoch();

  Params params_;
  TreeCounter tree_;
  Guarantee guarantee_;
  std::uint64_t epoch_ = 0;
  std::uint64_t closed_steps_ = 0;
  std::int64_t closed_estimate_ = 0;
  std::int64_t last_estimate_ = 0;  // of the open epoch
};

}  // namespace sotto
