#include "sotto/models/fits/greedy_cover/cover_calibration.h"

#include <algorithm>
#include <cmath>

#include "sotto/accounting/monotone_search.h"
#include "sotto/accounting/rounding.h"
#include "sotto/base/memo.h"
#include "sotto/models/fits/greedy_cover/cover_delta.h"
#include "sotto/models/fits/greedy_cover/cover_game.h"
#include "sotto/random/exponential_selection.h"

namespace sotto {
namespace {

using Params = CoverCalibration::Params;

constexpr std::size_t kMaxCandidates = std::size_t{1} << 24;

Status Check(const Params& p) {
  if (!(p.epsilon >= 0.001 && p.epsilon <= 100)) {
    return InvalidArgument("epsilon must be in [0.001, 100]");
  }
  if (!(p.delta >= 1e-12 && p.delta <= 0.5)) {
    return InvalidArgument("delta must be in [1e-12, 0.5]");
  }
  if (p.relation == Relation::kChangeByOne) {
    return InvalidArgument("rows are replaced, added or removed");
  }
  if (p.penalty < 1 || p.penalty > kMaxCoverUnits || p.reward > p.penalty ||
      p.penalty + p.reward > kMaxCoverUnits) {
    return InvalidArgument(
        "the reward must be between 0 and the penalty, as a fraction whose "
        "parts add up to at most 100");
  }
  if (p.rounds < 1 || p.rounds > 1'000'000) {
    return InvalidArgument("there must be 1 to 1000000 rounds");
  }
  if (p.candidates < 2 || p.candidates > kMaxCandidates) {
    return InvalidArgument("there must be 2 to 2^24 candidate rules");
  }
  return Ok();
}

// Slack of the fixed-work sampler in delta: each draw is off by a total
// variation of 2^-bits, in both worlds.
double SamplerDelta(const Params& p) {
  const int bits = ExponentialSelection::TotalVariationLog2(p.candidates);
  const double draws = static_cast<double>(p.rounds);
  return InflateUp((1 + std::exp(p.epsilon)) * draws * std::ldexp(1.0, -bits),
                   1e-12);
}

double UnlimitedDelta(const Params& p, double unit) {
  return CoverDelta(
      {.penalty = UpMul(p.penalty, unit), .reward = UpMul(p.reward, unit)},
      p.relation, p.epsilon);
}

Result<double> LimitedDelta(const Params& p, double unit) {
  const double any = UnlimitedDelta(p, unit);
  if (p.rounds > CoverCalibration::kMaxLimitedRounds) return any;
  const auto game = CoverGameDelta({.penalty = p.penalty,
                                    .reward = p.reward,
                                    .unit = unit,
                                    .rounds = p.rounds,
                                    .relation = p.relation},
                                   p.epsilon);
  // Out of the game's range the closed form still holds.
  return game ? std::min(*game, any) : any;
}

// The largest unit the closed form allows.
double UnlimitedUnit(const Params& p, double delta) {
  double low = 1e-9;  // delta < 1e-300 for every epsilon and delta allowed
  double high = 40;
  for (int step = 0; step < 200 && high - low > 1e-12 * low; ++step) {
    const double middle = low + (high - low) / 2;
    (UnlimitedDelta(p, middle) <= delta ? low : high) = middle;
  }
  return low;
}

Result<double> ExactUnit(const Params& p, double delta) {
  const double start = UnlimitedUnit(p, delta);
  if (p.rounds > CoverCalibration::kMaxLimitedRounds) return start;
  const double range = start * (p.penalty + p.reward);
  const auto log_unit = LargestMeeting(
      {.low = std::log(start),
       .high = std::log(start) + std::log(100.0),
       .goal = 0,
       .slope = std::max(2.0, p.epsilon / range),
       .tolerance = 1e-3},
      [&](double x) -> Result<double> {
        SOTTO_TRY_ASSIGN(const auto reached, LimitedDelta(p, std::exp(x)));
        return LogRatio(std::max(reached, 1e-300), delta);
      });
  if (!log_unit) return log_unit.error();
  return std::max(start, std::exp(*log_unit));
}

// [Winnow] Theorem 7: the exponential mechanism of Proposition 3, which has
// half of its epsilon in the exponent, with epsilon / (2 (ln(1/delta) + 3/2)).
double PaperUnit(const Params& p) {
  return p.epsilon / (4 * (-std::log(p.delta) + 1.5)) / p.penalty;
}

}  // namespace

Result<CoverCalibration> CoverCalibration::Create(const Params& params) {
  SOTTO_TRY(Check(params));
  static Memo<Params, Result<CoverCalibration>> memo;
  return memo.Get(params, [&] { return Compute(params); });
}

Result<CoverCalibration> CoverCalibration::Compute(const Params& params) {
  const double sampler = SamplerDelta(params);
  const double left = DownAdd(params.delta, -sampler);
  if (!(left > 0)) {
    return InvalidArgument("delta is below what the sampler itself loses");
  }
  const bool paper = params.method == Method::kPaper;
  SOTTO_TRY_ASSIGN(const auto unit, paper ? Result<double>(PaperUnit(params))
                                          : ExactUnit(params, left));
  SOTTO_TRY_ASSIGN(const auto rate, RationalBelow(unit));
  SOTTO_TRY_ASSIGN(const auto reached, LimitedDelta(params, rate.ToDoubleUp()));
  const double delta = UpAdd(reached, sampler);
  if (!(delta <= params.delta)) {
    return NotConverged("the weights found do not keep delta");
  }
  return CoverCalibration(params, rate, delta);
}

}  // namespace sotto
