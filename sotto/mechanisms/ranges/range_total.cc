#include "sotto/mechanisms/ranges/range_total.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"
#include "sotto/mechanisms/selection/selection_params.h"

namespace sotto {
namespace {

constexpr double kMinEpsilon = 0x1p-20;
constexpr double kMaxEpsilon = 16;
constexpr std::uint64_t kMaxRows = std::uint64_t{1} << 20;
constexpr std::int64_t kSteps = RangeTotal::kSteps;

Status Check(const RangeTotal::Params& params) {
  if (!(params.epsilon >= kMinEpsilon && params.epsilon <= kMaxEpsilon)) {
    return InvalidArgument("epsilon must be in [2^-20, 16]");
  }
  if (params.rows_per_user < 1 || params.rows_per_user > kMaxRows) {
    return InvalidArgument("the rows per user must be in [1, 2^20]");
  }
  SOTTO_TRY(RangeGrid::Create(params.low, params.high, 1));
  return Ok();
}

std::int64_t Nearest(double x) { return std::llround(x); }

// At most two noises of a user's rows differ.
double Slack(double epsilon) {
  return BothWorldsSlack(
      epsilon, std::ldexp(2.0, -FixedWorkLaplace::TotalVariationLog2()));
}

Result<Guarantee> MakePromise(const RangeTotal::Params& params, Spend spend) {
  return MakeGuarantee({.notion = Notion::kDp,
                        .relation = Relation::kReplace,
                        .rounds_per_user = params.rows_per_user,
                        .protects = "a user's numbers, and which rows have one",
                        .spend = std::move(spend)},
                       {params.epsilon, Slack(params.epsilon)});
}

}  // namespace

Result<RangeTotal::Part> RangeTotal::MakePart(double epsilon,
                                              std::int64_t moved,
                                              std::uint64_t rows) {
  const double most = static_cast<double>(moved) * static_cast<double>(rows);
  SOTTO_TRY_ASSIGN(const auto rate, RationalBelow(DownDiv(epsilon, most)));
  SOTTO_TRY_ASSIGN(auto noise, FixedWorkLaplace::Create(rate));
  return Part{std::move(noise), rate.ToDoubleUp(),
              moved * static_cast<std::int64_t>(rows)};
}

// Steps of the larger end: what a number adds is within [low, high] / unit.
Result<RangeTotal> RangeTotal::CreateSum(const Params& params) {
  const double largest = std::max(
      {std::abs(params.low), std::abs(params.high), params.high - params.low});
  const double unit = largest / static_cast<double>(kSteps);
  const std::int64_t low = Nearest(params.low / unit);
  const std::int64_t high = Nearest(params.high / unit);
  const std::int64_t moved =
      std::max({std::abs(low), std::abs(high), high - low});
  SOTTO_TRY_ASSIGN(auto part,
                   MakePart(params.epsilon, moved, params.rows_per_user));
  SOTTO_TRY_ASSIGN(
      auto guarantee,
      MakePromise(params, PurePart("sum", SamplerKind::kLaplace, part.rate,
                                   static_cast<double>(part.moved),
                                   Slack(params.epsilon))));
  return RangeTotal(params, unit, std::move(part), std::nullopt,
                    std::move(guarantee));
}

// A number adds between -kSteps and kSteps, around the middle of the range
// (range_total.md, step 3).
Result<RangeTotal> RangeTotal::CreateMean(const Params& params) {
  const double unit =
      (params.high - params.low) / 2 / static_cast<double>(kSteps);
  SOTTO_TRY_ASSIGN(auto total,
                   MakePart(params.epsilon, 2 * kSteps, params.rows_per_user));
  SOTTO_TRY_ASSIGN(auto count,
                   MakePart(params.epsilon / 2, 1, params.rows_per_user));
  const double replaced = UpMul(total.rate, static_cast<double>(total.moved));
  const double emptied =
      UpAdd(UpMul(total.rate, static_cast<double>(total.moved / 2)),
            UpMul(count.rate, static_cast<double>(count.moved)));
  // Exactly, both are at most epsilon: the rates were rounded down.
  const double cost = std::min(std::max(replaced, emptied), params.epsilon);
  std::vector<Spend> parts;
  parts.push_back(PurePart("sum", SamplerKind::kLaplace, total.rate,
                           static_cast<double>(total.moved)));
  parts.push_back(PurePart("count", SamplerKind::kLaplace, count.rate,
                           static_cast<double>(count.moved)));
  SOTTO_TRY_ASSIGN(
      auto guarantee,
      MakePromise(params, ComposeParts("mean", {cost, Slack(params.epsilon)},
                                       std::move(parts))));
  return RangeTotal(params, unit, std::move(total), std::move(count),
                    std::move(guarantee));
}

Result<RangeTotal> RangeTotal::Create(const Params& params) {
  SOTTO_TRY(Check(params));
  return params.kind == Kind::kSum ? CreateSum(params) : CreateMean(params);
}

void RangeTotal::Add(double value) {
  if (std::isnan(value)) return;
  const double inside = std::clamp(value, params_.low, params_.high);
  ++count_;
  if (count_part_) {
    total_ += std::clamp(Nearest((inside - middle()) / unit_), -kSteps, kSteps);
  } else {
    total_ += Nearest(inside / unit_);
  }
}

double RangeTotal::Release(Rng& rng) const {
  const std::int64_t total = rng.Private("total", total_, total_part_.moved) +
                             total_part_.noise.Sample(rng);
  if (!count_part_) return static_cast<double>(total) * unit_;
  const std::int64_t count = rng.Private("count", count_, count_part_->moved) +
                             count_part_->noise.Sample(rng);
  if (count < 1) return middle();
  const double mean = middle() + static_cast<double>(total) * unit_ /
                                     static_cast<double>(count);
  return std::clamp(mean, params_.low, params_.high);
}

// Pr[|Z| > t] <= 2 e^(-rate t).
double RangeTotal::ErrorBound(double failure, double numbers) const {
  if (!count_part_) {
    return unit_ * std::log(2 / failure) / total_part_.rate;
  }
  // The mean is off by (noise of the sum + |mean - middle| noise of the count)
  // over the noisy count.
  const double sum = unit_ * std::log(4 / failure) / total_part_.rate;
  const double count = std::log(4 / failure) / count_part_->rate;
  const double half = (params_.high - params_.low) / 2;
  if (numbers <= count) return 2 * half;
  return std::min(2 * half, (sum + half * count) / (numbers - count));
}

}  // namespace sotto
