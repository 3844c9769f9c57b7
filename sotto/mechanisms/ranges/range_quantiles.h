#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/rational.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/ranges/range_grid.h"
#include "sotto/mechanisms/selection/selection.h"
#include "sotto/random/rng.h"

namespace sotto {

// Quantiles of private numbers over a public range, once: of each, the middle
// of a cell whose numbers have ranks near the one asked for.
//
//   auto quantiles = RangeQuantiles::Create(
//       {.epsilon = 1, .at = *ParseQuantiles("0.5,0.95"), .grid = *grid});
//   for (double x : numbers) quantiles->Add(x);
//   std::vector<double> answers = quantiles->Release(rng);
//
// Guarantee: epsilon-DP for one user with at most rows_per_user rows, replaced
//            by others or by rows without a number, and the samplers' slack.
// Proof:     range_quantiles.md.
// Threads:   not thread-safe.
class RangeQuantiles {
 public:
  struct Params {
    double epsilon = 0;
    std::vector<Rational> at;  // each below 1
    RangeGrid grid;
    std::uint64_t rows_per_user = 1;
  };
  static constexpr std::size_t kMaxQuantiles = 100;
  // Largest denominator of a quantile.
  static constexpr std::uint64_t kMaxDenominator = 1'000'000;

  // Fails with kInvalidArgument unless there are 1 to kMaxQuantiles quantiles
  // below 1 with denominators up to kMaxDenominator, and as Selection does.
  static Result<RangeQuantiles> Create(Params params);

  // NaN: a row without a number. Requires at most rows_per_user rows of each
  // user, and fewer than 2^40 rows.
  void Add(double value);
  // In the order of `at`, and increasing with it. Each call spends the
  // guarantee: call it once.
  std::vector<double> Release(Rng& rng) const;

  // With probability 1 - failure no answer's rank is off by more, beside the
  // rows of one cell.
  double RankErrorBound(double failure) const;
  const Guarantee& guarantee() const { return guarantee_; }
  const Params& params() const { return params_; }

 private:
  RangeQuantiles(Params params, std::vector<Selection> choices,
                 Guarantee guarantee)
      : params_(std::move(params)),
        choices_(std::move(choices)),
        guarantee_(std::move(guarantee)),
        counts_(params_.grid.cells()) {}
  std::vector<std::int64_t> Scores(const Rational& at) const;

  Params params_;
  std::vector<Selection> choices_;  // of each quantile
  Guarantee guarantee_;
  std::vector<std::int64_t> counts_;  // of cells
};

// "0.5,0.95,0.99", exactly. Fails with kInvalidArgument.
Result<std::vector<Rational>> ParseQuantiles(std::string_view text);

}  // namespace sotto
