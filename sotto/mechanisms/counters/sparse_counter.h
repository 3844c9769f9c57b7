#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/counters/unknown_horizon_counter.h"
#include "sotto/random/fixed_work_geometric.h"
#include "sotto/random/rng.h"

namespace sotto {

// A running count for streams of few events in many steps. Steps are gathered
// into segments; a segment closes when a one-sided noisy test finds enough
// events in it, and only then does its total go through a tree counter. The
// error grows with ln(horizon) and with the number of segments, not with a
// power of ln(horizon).
//
//   auto counter = SparseCounter::Create({.epsilon = 1, .horizon = 1'000'000,
//                                         .expected_events = 1000});
//   if (!counter) return counter.error();
//   auto estimate = counter->Add(events_now, rng);
//
// More events than expected cost accuracy, never privacy.
//
// Paper:     Dwork, Naor, Reingold, Rothblum 2015, with the one-sided test of
//            threshold_monitor.md in place of theirs.
// Guarantee: (epsilon, 0)-DP if one step's count changes by one, inputs chosen
//            adaptively; the samplers add a delta, below 1e-16 for epsilon up
//            to 8 and below 1e-13 always: see guarantee().
// Proof:     sparse_counter.md.
// Threads:   not thread-safe.
class SparseCounter {
 public:
  struct Params {
    double epsilon = 0;
    std::uint64_t horizon = 0;          // T
    std::uint64_t expected_events = 0;  // n
    double failure = 0.05;              // beta, of the error bound
  };
  // How epsilon and the error are divided.
  struct Plan {
    double test_epsilon = 0;     // for closing segments
    double total_epsilon = 0;    // for their totals
    std::int64_t limit = 0;      // tau, events that should close a segment
    std::int64_t allowance = 0;  // half of what an open segment may hold
    std::uint64_t segments = 0;  // m, if there are no more than n events
    double error = 0;
  };
  static constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 30;
  static constexpr std::uint64_t kMaxHorizon = std::uint64_t{1} << 31;

  // Fails with kInvalidArgument unless epsilon is in [2^-16, 16], horizon in
  // [1, kMaxHorizon], expected_events in [1, 2^31], failure in [1e-9, 1).
  static Result<SparseCounter> Create(const Params& params);
  static Result<Plan> Best(const Params& params);

  // One step. Fails, and changes nothing, with kInvalidArgument above kMaxCount
  // and with kFailedPrecondition after `horizon` steps.
  Result<std::int64_t> Add(std::uint64_t count, Rng& rng);
  // See TreeCounter::AddBatch.
  Status AddBatch(std::span<const std::uint64_t> counts,
                  std::span<std::int64_t> estimates, Rng& rng);

  std::uint64_t steps() const { return steps_; }
  const Plan& plan() const { return plan_; }
  const Guarantee& guarantee() const { return guarantee_; }
  // With probability 1 - failure no estimate is off by more, if there are at
  // most expected_events events.
  double ErrorBound() const { return plan_.error; }

  // The bytes hold true counts: they are as secret as the data.
  void Save(ByteWriter& writer) const;
  // Fails as Create does, and with kCorruption if the bytes are not those of a
  // counter with exactly these parameters. Continue one state once only: two
  // continuations are not covered by guarantee().
  static Result<SparseCounter> Load(const Params& params, ByteReader& reader);

 private:
  SparseCounter(const Params& params, const Plan& plan,
                FixedWorkGeometric noise, UnknownHorizonCounter totals,
                Guarantee guarantee);
  Status CheckRoom(std::span<const std::uint64_t> counts) const;
  // `test_noise` is nu; rho and the tree's noise come from `rng`.
  Result<std::int64_t> Step(std::uint64_t count, std::int64_t test_noise,
                            Rng& rng);

  Params params_;
  Plan plan_;
  FixedWorkGeometric noise_;
  UnknownHorizonCounter totals_;
  Guarantee guarantee_;
  std::int64_t open_ = 0;      // true events of the open segment
  std::int64_t offset_ = 0;    // rho of the open segment
  bool has_offset_ = false;    // drawn at the segment's first step
  std::int64_t estimate_ = 0;  // of the closed segments
  std::uint64_t steps_ = 0;
};

}  // namespace sotto
