#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/counters/sparse_counter.h"
#include "sotto/mechanisms/counters/square_root_counter.h"
#include "sotto/mechanisms/counters/tree_counter.h"
#include "sotto/mechanisms/counters/unknown_horizon_counter.h"
#include "sotto/random/rng.h"

namespace sotto {

// A private running count, by whichever mechanism has the least proved error.
//
//   auto counter = Counter::Create({.epsilon = 1, .delta = 1e-6,
//                                   .horizon = 1'000'000});
//   if (!counter) return counter.error();
//   std::cerr << counter->Describe();     // square-root: within 124 of ...
//   auto estimate = counter->Add(events_now, rng);
//
// The choice depends on the parameters alone, never on the data.
//
// Guarantee: that of the mechanism chosen, at most (epsilon, delta) if delta is
//            not 0; a delta of 0 asks for a pure mechanism and leaves what the
//            samplers lack, below 1e-16 for epsilon up to 8, 1e-13 always.
// Proof:     counter.md and the pages of the mechanisms.
// Threads:   not thread-safe.
class Counter {
 public:
  enum class Mechanism { kAuto, kTree, kSquareRoot, kSparse };
  struct Params {
    double epsilon = 0;
    double delta = 0;                   // 0: pure mechanisms only
    std::uint64_t horizon = 0;          // T; 0: not known
    std::uint64_t expected_events = 0;  // n; 0: no idea, never sparse
    double failure = 0.05;              // beta, of the error bound
    Mechanism mechanism = Mechanism::kAuto;
  };

  // Fails with kInvalidArgument where the mechanism's own Create does, and
  // where one is asked for that lacks what it needs: square-root a delta and a
  // horizon, sparse a horizon and expected events; and if delta > 0 is less
  // than what the samplers of every mechanism asked for lack.
  static Result<Counter> Create(const Params& params);

  // See the mechanisms' own; every one fails on counts above 2^30 (sparse) or
  // 2^31, and after its horizon.
  Result<std::int64_t> Add(std::uint64_t count, Rng& rng);
  Status AddBatch(std::span<const std::uint64_t> counts,
                  std::span<std::int64_t> estimates, Rng& rng);

  Mechanism mechanism() const;  // never kAuto
  std::uint64_t steps() const;
  const Guarantee& guarantee() const;
  // With probability 1 - failure no estimate is off by more: of all steps, or,
  // without a horizon, of those up to now (at least one) if their number was
  // fixed in advance, not by looking at estimates. For the sparse counter, if
  // there are at most expected_events events.
  double ErrorBound() const;
  // One line: the mechanism, the error expected, for how long and under which
  // conditions.
  std::string Describe() const;

  // The bytes hold true counts: they are as secret as the data.
  void Save(ByteWriter& writer) const;
  // Fails as Create does, and with kCorruption if the bytes are not those of a
  // counter with exactly these parameters. Continue one state once only: two
  // continuations are not covered by guarantee().
  static Result<Counter> Load(const Params& params, ByteReader& reader);

 private:
  using Any = std::variant<TreeCounter, SquareRootCounter, SparseCounter,
                           UnknownHorizonCounter>;

  Counter(const Params& params, Any counter)
      : params_(params), counter_(std::move(counter)) {}

  Params params_;
  Any counter_;
};

// "auto", "tree", "square-root", "sparse".
std::string_view ToString(Counter::Mechanism mechanism);
// Fails with kInvalidArgument and names the words it knows; "sqrt" is one.
Result<Counter::Mechanism> ParseCounterMechanism(std::string_view word);

}  // namespace sotto
