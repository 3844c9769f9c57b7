#include "sotto/models/winnow/winnow_plan.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace sotto {
namespace {

// Fits, docs/models/winnow.md: mistakes = 0.4 sigma ln(weights) / margin^2
// where everything is released; half of the first batch where there is a
// threshold and few of very many features matter, the geometric mean of a batch
// and the horizon where non-zeros are not rare, because weights that matter are
// then cut off too and mistakes continue; 0.1 sigma R (1 + ln T / pi) / margin
// for DP-FTRL with the best of its steps.
constexpr double kWinnowFit = 0.4;
constexpr double kFtrlFit = 0.1;
// Shares of the rounds that are mistakes.
constexpr double kComfortableShare = 0.02;
constexpr double kHopelessShare = 0.25;
// CalibrateWinnowNoise knows no larger one.
constexpr double kMaxEpsilon = 16;

double ExpectedMistakes(const PrivateWinnow& winnow,
                        const PrivateWinnow::Params& params) {
  const WinnowSetting& s = winnow.setting();
  if (s.threshold > 0) {
    const auto batch = static_cast<double>(winnow.step().batch);
    if (HasRareNonzeros(params)) return batch / 2;
    return std::sqrt(batch * static_cast<double>(params.horizon));
  }
  return kWinnowFit * s.sigma * std::log(s.weights) / (s.margin * s.margin);
}

double ExpectedFtrl(const PrivateWinnow& winnow) {
  const WinnowSetting& s = winnow.setting();
  const WinnowNoise& noise = winnow.noise();
  const double norm = std::ldexp(
      std::sqrt(static_cast<double>(noise.norm_squared)), -noise.scale_bits);
  const double growth =
      1 + std::log(static_cast<double>(s.horizon)) / std::numbers::pi;
  return kFtrlFit * s.sigma * norm * growth / s.margin;
}

std::string Rounded(double x) {
  if (!(x < 1e15)) return "more than 1e15";
  const double unit =
      std::pow(10, std::max(0.0, std::floor(std::log10(x)) - 1));
  return std::to_string(static_cast<long long>(std::ceil(x / unit) * unit));
}

std::string AdviceFor(const WinnowPlan& plan) {
  const auto horizon = static_cast<double>(plan.params.horizon);
  if (plan.verdict == Verdict::kComfortable) {
    return "about " + Rounded(plan.mistakes_expected) +
           " mistakes, then next to none, if the margin is what was stated";
  }
  // The noise falls about as 1 / epsilon.
  const double times = plan.mistakes_expected / (kComfortableShare * horizon);
  std::string advice = "comfortable with a horizon of " +
                       Rounded(plan.mistakes_expected / kComfortableShare);
  if (const double epsilon = plan.params.epsilon * times;
      epsilon <= kMaxEpsilon) {
    advice += " or an epsilon of about " + Rounded(epsilon);
  }
  if (plan.params.max_nonzeros == 0 && plan.params.features >= 1000) {
    advice += "; state max_nonzeros if examples are sparse";
  }
  return advice;
}

std::string CompareWithFtrl(const WinnowPlan& plan) {
  const std::string ours = Rounded(plan.mistakes_expected);
  const std::string theirs = Rounded(plan.ftrl_expected);
  if (plan.ftrl_expected < plan.mistakes_expected) {
    return "DP-FTRL (private perceptron) is expected to do better here: "
           "about " +
           theirs + " mistakes against " + ours;
  }
  return "DP-FTRL (private perceptron) with its best step: about " + theirs +
         " mistakes against " + ours +
         "; it may win where many features matter alike";
}

}  // namespace

bool HasRareNonzeros(const PrivateWinnow::Params& params) {
  constexpr double kRare = 30;
  return params.max_nonzeros > 0 &&
         static_cast<double>(params.features) >= kRare * params.max_nonzeros;
}

Result<WinnowPlan> PlanWinnow(const PrivateWinnow::Params& params) {
  SOTTO_TRY_ASSIGN(const auto winnow, PrivateWinnow::Create(params));
  const auto horizon = static_cast<double>(params.horizon);
  const WinnowBound bound = winnow.Bound();
  WinnowPlan plan{.params = params,
                  .guarantee = winnow.guarantee(),
                  .noise = winnow.noise(),
                  .advice = {},
                  .comparison = {}};
  plan.params.confidence = winnow.setting().confidence;
  plan.params.batch = winnow.step().batch;
  plan.params.learning_rate = winnow.step().learning_rate;
  if (bound.mistakes < horizon) plan.mistakes_bound = bound.mistakes;
  if (bound.mean_mistakes < horizon) {
    plan.mistakes_mean_bound = bound.mean_mistakes;
  }
  plan.mistakes_expected =
      std::min(ExpectedMistakes(winnow, params), horizon / 2);
  plan.ftrl_expected = std::min(ExpectedFtrl(winnow), horizon / 2);
  plan.verdict =
      VerdictBelow(plan.mistakes_expected, kComfortableShare * horizon,
                   kHopelessShare * horizon);
  plan.advice = AdviceFor(plan);
  plan.comparison = CompareWithFtrl(plan);
  return plan;
}

}  // namespace sotto
