#include "sotto/mechanisms/selection/selection_params.h"

#include <cmath>

#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"
#include "sotto/random/exponential_selection.h"

namespace sotto {
namespace {

constexpr double kMaxEpsilon = 16;
constexpr std::int64_t kMaxSensitivity = std::int64_t{1} << 40;
constexpr std::size_t kMaxCandidates = std::size_t{1} << 24;
constexpr double kMinRate = 0x1p-48;

}  // namespace

Result<Rational> SelectionRate(const SelectionParams& params) {
  if (!(params.epsilon > 0 && params.epsilon <= kMaxEpsilon)) {
    return InvalidArgument("epsilon must be in (0, 16]");
  }
  if (params.sensitivity < 1 || params.sensitivity > kMaxSensitivity) {
    return InvalidArgument("the sensitivity must be in [1, 2^40]");
  }
  if (params.candidates < 1 || params.candidates > kMaxCandidates) {
    return InvalidArgument("there must be 1 to 2^24 candidates");
  }
  // Exact: at most 2^41.
  const auto parts =
      static_cast<double>(params.sensitivity * (params.monotone ? 1 : 2));
  double rate = params.epsilon / parts;
  // The sign of a fused product minus epsilon is right, however small it is.
  if (std::fma(rate, parts, -params.epsilon) > 0) rate = StepDown(rate);
  if (rate < kMinRate) {
    return InvalidArgument("epsilon / sensitivity must be at least 2^-47");
  }
  return RationalBelow(rate);
}

double BothWorldsSlack(double epsilon, double distance) {
  return UpMul(InflateUp(1 + std::exp(epsilon), 0x1p-50), distance);
}

std::span<const std::int64_t> WatchedScores(
    const SelectionParams& params, std::span<const std::int64_t> scores,
    Rng& rng, std::vector<std::int64_t>& others) {
  if (!rng.watched()) return scores;
  for (const std::int64_t score : scores) {
    others.push_back(rng.Private("score", score, params.sensitivity));
  }
  return others;
}

Result<Guarantee> SelectionGuarantee(const SelectionParams& params) {
  const double distance = std::ldexp(
      1.0, -ExponentialSelection::TotalVariationLog2(params.candidates));
  SOTTO_TRY_ASSIGN(const auto rate, SelectionRate(params));
  const double delta = BothWorldsSlack(params.epsilon, distance);
  const double moved =
      static_cast<double>(params.sensitivity) * (params.monotone ? 1 : 2);
  return MakeGuarantee(
      {.notion = Notion::kDp,
       .relation = params.monotone ? Relation::kAddRemove : Relation::kReplace,
       .protects = "one record, as far as it moves each score by at most the "
                   "sensitivity",
       .spend = PurePart("choice", SamplerKind::kSelection, rate.ToDoubleUp(),
                         moved, delta)},
      {params.epsilon, delta});
}

}  // namespace sotto
