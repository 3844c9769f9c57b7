#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/int128.h"
#include "sotto/base/rational.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/counters/square_root_counter_filter.h"
#include "sotto/random/fixed_work_gaussian.h"
#include "sotto/random/rng.h"

namespace sotto {

// A running count under continual observation with Gaussian noise: a third of
// the tree's error, for a delta. The counts go through a filter close to
// 1 / sqrt(1 - x), noise is added, and the inverse filter and a running sum
// give the estimates. O(log horizon) numbers of memory.
//
//   auto counter = SquareRootCounter::Create(
//       {.epsilon = 1, .delta = 1e-6, .horizon = 1'000'000});
//   if (!counter) return counter.error();
//   auto estimate = counter->Add(events_now, rng);
//
// Paper:     Fichtenberger, Henzinger, Upadhyay 2023 (the factorisation);
//            McMahan et al. 2024 (exponential buffers).
// Guarantee: (epsilon, delta)-DP if one step's count changes by one, inputs
//            chosen adaptively; everything the samplers lack is inside delta.
// Proof:     square_root_counter.md.
// Threads:   not thread-safe.
class SquareRootCounter {
 public:
  struct Params {
    double epsilon = 0;
    double delta = 0;
    std::uint64_t horizon = 0;  // T
    double failure = 0.05;      // beta, of the error bound
  };
  static constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 31;
  static constexpr std::uint64_t kMaxHorizon = std::uint64_t{1} << 31;

  // Fails with kInvalidArgument unless epsilon is in [2^-10, 16], delta in
  // [1e-12, 1/2], horizon in [1, kMaxHorizon] and failure in [1e-9, 1).
  static Result<SquareRootCounter> Create(const Params& params);

  // One step. Fails, and changes nothing, with kInvalidArgument above kMaxCount
  // and with kFailedPrecondition after `horizon` steps.
  Result<std::int64_t> Add(std::uint64_t count, Rng& rng);

  // Adds one step for each count. Same distribution as Add; uses the words of
  // `rng` in another order. Requires spans of equal length. Fails like Add,
  // before the first step.
  Status AddBatch(std::span<const std::uint64_t> counts,
                  std::span<std::int64_t> estimates, Rng& rng);

  std::uint64_t steps() const { return steps_; }
  const Guarantee& guarantee() const { return guarantee_; }
  // With probability 1 - failure no estimate is off by more.
  double ErrorBound() const { return error_bound_; }
  // The standard deviation of the last estimate, in events.
  double LastDeviation() const;

  const SquareRootFilter& filter() const { return filter_; }
  int scale_bits() const { return calibration_.scale_bits; }
  const Rational& variance() const { return calibration_.variance; }

  // The bytes hold true counts: they are as secret as the data.
  void Save(ByteWriter& writer) const;
  // Fails as Create does, and with kCorruption if the bytes are not those of a
  // counter with exactly these parameters. Continue one state once only: two
  // continuations are not covered by guarantee().
  static Result<SquareRootCounter> Load(const Params& params,
                                        ByteReader& reader);

 private:
  struct Calibration {
    int scale_bits;     // y is in units of 2^-scale_bits events
    Rational variance;  // of the noise, in those units squared
    double delta;       // spent in total
    double failure;     // total-variation distance of all samplers
  };

  SquareRootCounter(const Params& params, SquareRootFilter filter,
                    Calibration calibration, FixedWorkGaussian noise,
                    Guarantee guarantee);
  static Result<Calibration> Calibrate(const Params& params,
                                       const SquareRootFilter& filter);
  double ComputeErrorBound() const;
  Status CheckRoom(std::span<const std::uint64_t> counts) const;
  std::int64_t Step(std::uint64_t count, std::int64_t noise);
  // The noise of a step, which a replay may look at (Rng::Private): the same.
  std::int64_t Watched(std::uint64_t count, std::int64_t noise, Rng& rng);

  Params params_;
  SquareRootFilter filter_;
  Calibration calibration_;
  FixedWorkGaussian noise_;
  Guarantee guarantee_;
  double error_bound_ = 0;
  ExponentialBuffers data_;      // private: the true counts
  ExponentialBuffers released_;  // a function of what was released
  Int128 prefix_ = 0;            // the estimate, 2^-kStateBits
  std::uint64_t steps_ = 0;
};

}  // namespace sotto
