#include "sotto/mechanisms/ranges/range_histogram.h"

#include <cmath>

#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"
#include "sotto/mechanisms/selection/selection_params.h"

namespace sotto {
namespace {

constexpr double kMinEpsilon = 0x1p-20;
constexpr double kMaxEpsilon = 16;
constexpr std::uint64_t kMaxRows = std::uint64_t{1} << 20;

}  // namespace

Result<RangeHistogram> RangeHistogram::Create(const Params& params) {
  if (!(params.epsilon >= kMinEpsilon && params.epsilon <= kMaxEpsilon)) {
    return InvalidArgument("epsilon must be in [2^-20, 16]");
  }
  if (params.rows_per_user < 1 || params.rows_per_user > kMaxRows) {
    return InvalidArgument("the rows per user must be in [1, 2^20]");
  }
  // A row leaves one cell and enters another (step 1).
  const double moved = 2 * static_cast<double>(params.rows_per_user);
  SOTTO_TRY_ASSIGN(const auto rate,
                   RationalBelow(DownDiv(params.epsilon, moved)));
  SOTTO_TRY_ASSIGN(auto noise, FixedWorkLaplace::Create(rate));
  const double slack = BothWorldsSlack(
      params.epsilon,
      std::ldexp(moved, -FixedWorkLaplace::TotalVariationLog2()));
  SOTTO_TRY_ASSIGN(
      auto guarantee,
      MakeGuarantee({.notion = Notion::kDp,
                     .relation = Relation::kReplace,
                     .rounds_per_user = params.rows_per_user,
                     .protects = "a user's numbers, and which rows have one",
                     .spend = PurePart("cells", SamplerKind::kLaplace,
                                       rate.ToDoubleUp(), moved, slack)},
                    {params.epsilon, slack}));
  return RangeHistogram(params, rate.ToDoubleDown(), std::move(noise),
                        std::move(guarantee));
}

void RangeHistogram::Add(double value) {
  if (const auto cell = params_.grid.Cell(value)) ++counts_[*cell];
}

std::vector<std::int64_t> RangeHistogram::Release(Rng& rng) const {
  const auto most = static_cast<std::int64_t>(params_.rows_per_user);
  std::vector<std::int64_t> noisy(counts_.size());
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    noisy[i] = rng.Private("cell", counts_[i], most) + noise_.Sample(rng);
  }
  return noisy;
}

// Pr[|Z| > t] <= e^(-rate (t + 1)) 2 / (1 + e^-rate) for integers t.
double RangeHistogram::ErrorBound(double failure) const {
  const double each = failure / static_cast<double>(counts_.size());
  return std::ceil(std::log(2 / each) / rate_);
}

}  // namespace sotto
