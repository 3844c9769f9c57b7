#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/ranges/range_grid.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/rng.h"

namespace sotto {

// The sum or the mean of private numbers over a public range, once.
//
//   auto mean = RangeTotal::Create({.epsilon = 1, .low = 0, .high = 100,
//                                   .kind = RangeTotal::Kind::kMean});
//   for (double x : numbers) mean->Add(x);
//   double answer = mean->Release(rng);
//
// Guarantee: epsilon-DP for one user with at most rows_per_user rows, replaced
//            by others or by rows without a number, and the samplers' slack.
// Proof:     range_total.md.
// Threads:   not thread-safe.
class RangeTotal {
 public:
  enum class Kind { kSum, kMean };
  struct Params {
    double epsilon = 0;
    double low = 0;
    double high = 0;
    std::uint64_t rows_per_user = 1;
    Kind kind = Kind::kSum;
  };
  // Steps of the range in which numbers are counted.
  static constexpr std::int64_t kSteps = std::int64_t{1} << 20;

  // Fails with kInvalidArgument unless epsilon is in [2^-20, 16],
  // rows_per_user in [1, 2^20], and low and high are a range.
  static Result<RangeTotal> Create(const Params& params);

  // NaN: a row without a number. Requires at most rows_per_user rows of each
  // user, and fewer than 2^40 rows.
  void Add(double value);
  // Each call spends the guarantee: call it once.
  double Release(Rng& rng) const;

  // With probability 1 - failure the sum, or the mean of this many numbers, is
  // off by no more, beside half a step for each number.
  double ErrorBound(double failure, double numbers) const;
  const Guarantee& guarantee() const { return guarantee_; }

 private:
  // One noisy integer: its noise, and how far a row moves it.
  struct Part {
    FixedWorkLaplace noise;
    double rate;
    std::int64_t moved;
  };
  RangeTotal(const Params& params, double unit, Part total,
             std::optional<Part> count, Guarantee guarantee)
      : params_(params),
        unit_(unit),
        total_part_(std::move(total)),
        count_part_(std::move(count)),
        guarantee_(std::move(guarantee)) {}
  static Result<Part> MakePart(double epsilon, std::int64_t moved,
                               std::uint64_t rows);
  static Result<RangeTotal> CreateSum(const Params& params);
  static Result<RangeTotal> CreateMean(const Params& params);
  double middle() const { return params_.low / 2 + params_.high / 2; }

  Params params_;
  double unit_;  // of one step
  Part total_part_;
  std::optional<Part> count_part_;  // of the mean
  Guarantee guarantee_;
  std::int64_t total_ = 0;  // steps
  std::int64_t count_ = 0;  // rows with a number
};

}  // namespace sotto
