#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/random/fixed_work_geometric.h"
#include "sotto/random/rng.h"

namespace sotto {

// Says after every step whether a running count has reached a threshold: below,
// below, ..., then above once, and ends.
//
//   auto monitor = ThresholdMonitor::Create(
//       {.epsilon = 1, .threshold = 100, .horizon = 1'000'000});
//   if (!monitor) return monitor.error();
//   auto answer = monitor->Add(events_now, rng);
//   std::cerr << monitor->Describe();  // not below 80, and by 100, 95 %
//
// Paper:     the threshold monitor, Problem 1.6 of "Lower bounds for
//            differential privacy under continual observation"; the mechanism
//            is ours, with one-sided noise.
// Guarantee: (epsilon, 0)-DP if one step's count changes by one, inputs chosen
//            adaptively; the samplers add a delta, below 1e-16 for epsilon up
//            to 8 and below 1e-13 always: see guarantee().
// Proof:     threshold_monitor.md.
// Threads:   not thread-safe.
class ThresholdMonitor {
 public:
  struct Params {
    double epsilon = 0;
    std::int64_t threshold = 0;  // k
    std::uint64_t horizon = 0;   // T
    double failure = 0.05;       // beta, early and late together
  };
  enum class Answer { kBelow, kAbove };
  static constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 31;
  static constexpr std::uint64_t kMaxHorizon = std::uint64_t{1} << 31;

  // Fails with kInvalidArgument unless epsilon is in [2^-20, 16], threshold in
  // [1, 2^62], horizon in [1, kMaxHorizon] and failure in [1e-9, 1).
  static Result<ThresholdMonitor> Create(const Params& params);

  // One step. Fails, and changes nothing, with kInvalidArgument above kMaxCount
  // and with kFailedPrecondition after kAbove or `horizon` steps.
  Result<Answer> Add(std::uint64_t count, Rng& rng);

  bool halted() const { return halted_; }
  std::uint64_t steps() const { return steps_; }
  const Guarantee& guarantee() const { return guarantee_; }

  // With probability at least 1 - failure: kAbove is not reported while the
  // count is below threshold - EarlySlack(), and has been reported by the step
  // that brings it to the threshold or beyond. One step may add 2^31: how far
  // beyond is not bounded.
  std::int64_t EarlySlack() const { return early_slack_; }
  // That promise as a sentence, or a warning that the threshold lies within the
  // noise. It depends on the parameters alone.
  std::string Describe() const;
  // True if that solves Problem 1.6: below while the count is under half the
  // threshold, above from the threshold on.
  bool SolvesProblem() const { return 2 * early_slack_ <= params_.threshold; }

  // The bytes hold true counts: they are as secret as the data.
  void Save(ByteWriter& writer) const;
  // Fails as Create does, and with kCorruption if the bytes are not those of a
  // monitor with exactly these parameters. Continue one state once only: two
  // continuations are not covered by guarantee().
  static Result<ThresholdMonitor> Load(const Params& params,
                                       ByteReader& reader);

 private:
  ThresholdMonitor(const Params& params, FixedWorkGeometric noise,
                   Guarantee guarantee);

  Params params_;
  FixedWorkGeometric noise_;
  Guarantee guarantee_;
  std::int64_t limit_ = 0;  // r
  std::int64_t early_slack_ = 0;
  std::int64_t count_ = 0;
  std::int64_t offset_ = 0;  // rho, drawn in the first step
  std::uint64_t steps_ = 0;
  bool halted_ = false;
};

}  // namespace sotto
