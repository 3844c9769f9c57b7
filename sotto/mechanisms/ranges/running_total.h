#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/counters/tree_counter.h"
#include "sotto/mechanisms/ranges/range_grid.h"
#include "sotto/random/rng.h"

namespace sotto {

// Sum and mean of the numbers of a stream over a public range, after every
// step.
//
//   auto total = RunningTotal::Create(
//       {.epsilon = 1, .horizon = 10'000, .low = 0, .high = 100});
//   auto answer = total->Add(12.5, rng);
//   Use(answer->sum, answer->mean);
//
// Guarantee: epsilon-DP if one step's number is replaced by another or left
//            out, inputs chosen adaptively, and the samplers' slack.
// Proof:     running_total.md.
// Threads:   not thread-safe.
class RunningTotal {
 public:
  struct Params {
    double epsilon = 0;
    std::uint64_t horizon = 0;
    double low = 0;
    double high = 0;
  };
  struct Answer {
    double sum = 0;
    double mean = 0;
  };
  // Steps of the range in which numbers are counted; even.
  static constexpr std::uint64_t kSteps = std::uint64_t{1} << 12;

  // Fails with kInvalidArgument unless epsilon is in [2^-8, 16], and as
  // TreeCounter and RangeGrid do.
  static Result<RunningTotal> Create(const Params& params);

  // One step; NaN: a step without a number. Fails with kFailedPrecondition
  // after `horizon` steps, and changes nothing.
  Result<Answer> Add(double value, Rng& rng);

  std::uint64_t steps() const { return count_.steps(); }
  const Guarantee& guarantee() const { return guarantee_; }
  std::string Describe() const;

  // The bytes hold true sums: they are as secret as the data.
  void Save(ByteWriter& writer) const;
  // Fails as Create does, and with kCorruption. Continue a state once only.
  static Result<RunningTotal> Load(const Params& params, ByteReader& reader);

 private:
  RunningTotal(const Params& params, RangeGrid grid, TreeCounter sum,
               TreeCounter count, Guarantee guarantee)
      : params_(params),
        grid_(grid),
        sum_(std::move(sum)),
        count_(std::move(count)),
        guarantee_(std::move(guarantee)) {}
  static Result<RunningTotal> Make(const Params& params, TreeCounter sum,
                                   TreeCounter count);
  Answer Read(std::int64_t steps_sum, std::int64_t numbers) const;

  Params params_;
  RangeGrid grid_;
  TreeCounter sum_;    // of steps; one without a number adds half of kSteps
  TreeCounter count_;  // of numbers
  Guarantee guarantee_;
};

}  // namespace sotto
