#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/ranges/range_grid.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/rng.h"

namespace sotto {

// How many private numbers lie in each cell of a public range, once.
//
//   auto histogram = RangeHistogram::Create({.epsilon = 1, .grid = *grid});
//   for (double x : numbers) histogram->Add(x);
//   std::vector<std::int64_t> counts = histogram->Release(rng);
//
// Guarantee: epsilon-DP for one user with at most rows_per_user rows, replaced
//            by others or by rows without a number, and the samplers' slack.
// Proof:     range_histogram.md.
// Threads:   not thread-safe.
class RangeHistogram {
 public:
  struct Params {
    double epsilon = 0;
    RangeGrid grid;
    std::uint64_t rows_per_user = 1;
  };

  // Fails with kInvalidArgument unless epsilon is in [2^-20, 16] and
  // rows_per_user in [1, 2^20].
  static Result<RangeHistogram> Create(const Params& params);

  // NaN: a row without a number. Requires at most rows_per_user rows of each
  // user.
  void Add(double value);
  // May be negative. Each call spends the guarantee: call it once.
  std::vector<std::int64_t> Release(Rng& rng) const;

  // With probability 1 - failure no count is off by more.
  double ErrorBound(double failure) const;
  const Guarantee& guarantee() const { return guarantee_; }

 private:
  RangeHistogram(const Params& params, double rate, FixedWorkLaplace noise,
                 Guarantee guarantee)
      : params_(params),
        rate_(rate),
        noise_(std::move(noise)),
        guarantee_(std::move(guarantee)),
        counts_(params.grid.cells()) {}

  Params params_;
  double rate_;
  FixedWorkLaplace noise_;
  Guarantee guarantee_;
  std::vector<std::int64_t> counts_;
};

}  // namespace sotto
