#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/accounting/renyi.h"
#include "sotto/mechanisms/thresholds/stopper.h"
#include "sotto/models/winnow/dp_winnow.h"

namespace sotto {
namespace {

constexpr double kMaxCount = 0x1p50;
// Fraction of delta for the samplers' slack.
constexpr double kSetAside = 0x1p-10;

Status Validate(const DpWinnow::Params& p) {
  if (!(p.epsilon > 0 && p.epsilon <= 16)) {
    return InvalidArgument("the epsilon of winnow must be in (0, 16]");
  }
  if (!(p.delta >= 1e-12 && p.delta <= 0.5)) {
    return InvalidArgument("the delta of winnow must be in [1e-12, 1/2]");
  }
  if (p.features < 1 || p.features > (1U << 23)) {
    return InvalidArgument("winnow takes 1 to 2^23 features");
  }
  if (!(p.margin >= 0x1p-8 && p.margin <= 1)) {
    return InvalidArgument("the margin of DP-Winnow must be in [2^-8, 1]");
  }
  if (p.horizon < 1 || p.horizon > (std::uint64_t{1} << 40)) {
    return InvalidArgument("the horizon must be in [1, 2^40]");
  }
  if (!(p.failure >= 1e-9 && p.failure < 1)) {
    return InvalidArgument("the failure probability must be in [1e-9, 1)");
  }
  return Ok();
}

double LogWeights(const DpWinnow::Params& p) {
  return std::log(p.features * (p.signs ? 2.0 : 1.0));
}

// Remaining margin (dp_winnow.md, step 5): features are rounded to multiples of
// 2^-10, under the best weights and under the published ones.
double MarginLeft(const DpWinnow::Params& p) {
  return p.margin - 0x1p-10 - 0x1p-20;
}

std::int64_t Count(double x) { return static_cast<std::int64_t>(std::ceil(x)); }

// dp_winnow.md, steps 4 and 5: the fixed point of Theorem 12 with the
// sensitivity of a replaced example.
DpWinnow::Constants PaperConstants(const DpWinnow::Params& p) {
  DpWinnow::Constants k;
  const auto horizon = static_cast<double>(p.horizon);
  const double log_delta = std::log(2 / (p.delta * (1 - kSetAside)));
  const double rho = MarginLeft(p);
  const double m = std::ceil(8 * std::log(2 * horizon / p.failure) / rho / rho);
  const double g = p.epsilon / (16 * std::sqrt(2 * m * log_delta));
  const double root = (LogWeights(p) + g * g / 2) / (0.5 * g * rho);
  const double updates = std::ceil(root * root);
  k.samples = Count(m);
  k.learning_rate = g / std::sqrt(updates);
  k.stopper_epsilon = p.epsilon / (4 * std::sqrt(2 * updates * log_delta));
  const double limit =
      8 * std::log(2 * horizon * horizon / p.failure) / k.stopper_epsilon;
  k.updates = Count(std::min(updates, kMaxCount));
  k.limit = Count(std::min(limit, kMaxCount));
  k.mistakes = updates * 2 * limit;
  return k;
}

// One candidate of step 6.
DpWinnow::Constants BatchConstants(const DpWinnow::Params& p, double c,
                                   double pace, double share, double budget) {
  DpWinnow::Constants k;
  k.confidence = c;
  k.stopper_epsilon = p.epsilon * share;
  const auto horizon = static_cast<double>(p.horizon);
  const double rho = MarginLeft(p);
  const double eta = pace * (1 - c) * rho;
  const double m =
      std::ceil(2 * std::log(2 * horizon / p.failure) / (c * c * rho * rho));
  const double updates =
      std::ceil(LogWeights(p) / ((1 - c) * eta * rho - eta * eta / 2));
  const double batch =
      std::ceil(eta * std::sqrt(2 * m * updates / budget) * (1 + 1e-9));
  k.samples = Count(m);
  k.learning_rate = eta;
  k.updates = Count(updates);
  k.batch = Count(batch);
  k.limit =
      k.batch + StopperEarlySlack(k.stopper_epsilon, p.horizon, p.failure / 2);
  const double late = -std::log(p.failure / 2 / updates) / k.stopper_epsilon;
  k.mistakes = (updates + 1) * (static_cast<double>(k.limit) + late + 1);
  return k;
}

}  // namespace

Result<DpWinnow::Constants> ChooseDpWinnow(const DpWinnow::Params& params) {
  SOTTO_TRY(Validate(params));
  if (params.form == DpWinnow::Form::kPaper) return PaperConstants(params);
  DpWinnow::Constants best;
  best.mistakes = std::numeric_limits<double>::infinity();
  for (const double share : {0.1, 0.2, 0.3, 0.4}) {
    SOTTO_TRY_ASSIGN(const auto budget,
                     ConcentratedBudget(params.epsilon * (1 - share),
                                        params.delta * (1 - kSetAside)));
    for (const double c : {0.25, 0.33, 0.4, 0.5, 0.6}) {
      for (const double pace : {0.3, 0.5, 0.7, 1.0}) {
        const auto k = BatchConstants(params, c, pace, share, budget);
        if (k.mistakes < best.mistakes) best = k;
      }
    }
  }
  if (!(best.mistakes < kMaxCount)) {
    return NotConverged("no batch form fits");
  }
  return best;
}

}  // namespace sotto
