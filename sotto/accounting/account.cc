#include "sotto/accounting/account.h"

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "sotto/accounting/composed_mechanism.h"
#include "sotto/accounting/monotone_search.h"
#include "sotto/accounting/pop_accountant.h"
#include "sotto/accounting/renyi.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/stopped_process.h"
#include "sotto/accounting/stopped_process_exact.h"

namespace sotto {
namespace {

constexpr std::string_view kExactName = "exact worst case, certified";
constexpr std::string_view kRenyiName = "renyi";
// More runs than this do not fit the stopped processes' range of targets.
constexpr double kMaxTargets = 0x1p40;

constexpr std::array<std::pair<std::string_view, AccountMechanism>, 8> kNames{{
    {"laplace", AccountMechanism::kLaplace},
    {"discrete-laplace", AccountMechanism::kDiscreteLaplace},
    {"gaussian", AccountMechanism::kGaussian},
    {"discrete-gaussian", AccountMechanism::kDiscreteGaussian},
    {"pure", AccountMechanism::kPure},
    {"above-threshold", AccountMechanism::kAboveThreshold},
    {"between-thresholds", AccountMechanism::kBetweenThresholds},
    {"pop", AccountMechanism::kPop},
}};

std::optional<NoiseKind> FindNoiseKind(AccountMechanism mechanism) {
  switch (mechanism) {
    case AccountMechanism::kLaplace:
      return NoiseKind::kLaplace;
    case AccountMechanism::kDiscreteLaplace:
      return NoiseKind::kDiscreteLaplace;
    case AccountMechanism::kGaussian:
      return NoiseKind::kGaussian;
    case AccountMechanism::kDiscreteGaussian:
      return NoiseKind::kDiscreteGaussian;
    case AccountMechanism::kPure:
      return NoiseKind::kPure;
    default:
      return std::nullopt;
  }
}

// A bound by one method: delta at (rate, epsilon), and the least epsilon at
// (rate, delta).
struct Bound {
  std::function<Result<double>(double rate, double epsilon)> delta;
  std::function<Result<double>(double rate, double delta)> epsilon;
};

StoppedProcess Stopped(const AccountQuestion& question, double rate) {
  // account.md, step 2: the runs together are one process with all targets.
  return {.rate = rate,
          .targets = question.reports *
                     static_cast<std::int64_t>(question.compositions),
          .gap = question.mechanism == AccountMechanism::kBetweenThresholds
                     ? question.gap
                     : StoppedProcess::kAboveThreshold};
}

PopProcess Pop(const AccountQuestion& question, double rate) {
  return {.rate = rate,
          .gap = question.gap,
          .targets = question.reports,
          .stopper = question.stopper};
}

Bound ExactStopped(const AccountQuestion& question) {
  return {[question](double rate, double epsilon) -> Result<double> {
            SOTTO_TRY_ASSIGN(
                const auto exact,
                ExactStoppedDelta(Stopped(question, rate), epsilon));
            return exact.delta;
          },
          [question](double rate, double delta) {
            return ExactStoppedEpsilon(Stopped(question, rate), delta);
          }};
}

Bound RenyiStopped(const AccountQuestion& question) {
  return {[question](double rate, double epsilon) -> Result<double> {
            SOTTO_TRY_ASSIGN(const auto curve,
                             StoppedProcessCurve(Stopped(question, rate)));
            return DeltaFromRenyi(curve, epsilon);
          },
          [question](double rate, double delta) -> Result<double> {
            SOTTO_TRY_ASSIGN(const auto curve,
                             StoppedProcessCurve(Stopped(question, rate)));
            return EpsilonFromRenyi(curve, delta);
          }};
}

// account.md, step 3: N runs of POP, each (epsilon / N, delta / N).
Bound PopBound(
    const AccountQuestion& question,
    const std::function<Result<PopCost>(const PopProcess&, double)>& delta_of,
    const std::function<Result<double>(const PopProcess&, double)>&
        epsilon_of) {
  const auto runs = static_cast<double>(question.compositions);
  return {
      [=](double rate, double epsilon) -> Result<double> {
        SOTTO_TRY_ASSIGN(const auto cost,
                         delta_of(Pop(question, rate), DownDiv(epsilon, runs)));
        return std::fmin(1, UpMul(cost.delta, runs));
      },
      [=](double rate, double delta) -> Result<double> {
        SOTTO_TRY_ASSIGN(const auto epsilon,
                         epsilon_of(Pop(question, rate), DownDiv(delta, runs)));
        return UpMul(epsilon, runs);
      }};
}

Bound ComputeBound(const AccountQuestion& question, bool exact) {
  if (question.mechanism == AccountMechanism::kPop) {
    return exact ? PopBound(question, ExactPopDelta, ExactPopEpsilon)
                 : PopBound(question, PopDelta, PopEpsilon);
  }
  return exact ? ExactStopped(question) : RenyiStopped(question);
}

Status ValidateThresholdQuestion(const AccountQuestion& question) {
  if (question.reports < 1) {
    return InvalidArgument("reports must be at least 1");
  }
  const bool has_gap = question.mechanism != AccountMechanism::kAboveThreshold;
  if (has_gap && question.gap < 1) {
    return InvalidArgument(
        "gap, the number of integers in the middle band, must be at least 1");
  }
  if (question.mechanism == AccountMechanism::kPop &&
      !(question.stopper > 0 && std::isfinite(question.stopper))) {
    return InvalidArgument("stopper, the Stopper's epsilon, must be positive");
  }
  if (static_cast<double>(question.reports) *
          static_cast<double>(question.compositions) >
      kMaxTargets) {
    return InvalidArgument("reports times compositions exceed 2^40");
  }
  return Ok();
}

Status ValidateCommon(const AccountQuestion& question) {
  if (question.compositions < 1) {
    return InvalidArgument("compositions must be at least 1");
  }
  if (FindNoiseKind(question.mechanism)) return Ok();
  return ValidateThresholdQuestion(question);
}

Status ValidateNoise(const AccountQuestion& question) {
  if (question.noise_scale > 0 && std::isfinite(question.noise_scale)) {
    return Ok();
  }
  return InvalidArgument(question.mechanism == AccountMechanism::kPure
                             ? "epsilon of each must be positive and finite"
                             : "noise scale must be positive and finite");
}

Status ValidateDelta(double delta) {
  if (delta > 0 && delta < 1) return Ok();
  return InvalidArgument("delta must lie strictly between 0 and 1");
}

Status ValidateEpsilon(double epsilon) {
  if (epsilon > 0 && std::isfinite(epsilon)) return Ok();
  return InvalidArgument("epsilon must be positive and finite");
}

// Asks the exact bound first and the Renyi bound where that fails, as the
// question's method allows; `ask` gets a bound and returns a number.
template <typename Ask>
Result<std::pair<double, std::string_view>> FirstAnswer(
    const AccountQuestion& question, const Ask& ask) {
  if (question.method != AccountMethod::kRenyi) {
    const Result<double> exact = ask(ComputeBound(question, true));
    if (exact) return std::pair(*exact, kExactName);
    if (question.method == AccountMethod::kExact) return exact.error();
  }
  SOTTO_TRY_ASSIGN(const double renyi, ask(ComputeBound(question, false)));
  return std::pair(renyi, kRenyiName);
}

// The least scale not below 1 / `rate` that was itself found to meet the target
// (account.md, step 4): the reciprocal's rounding may cost a little.
Result<double> CheckedScale(const Bound& bound, double rate, double epsilon,
                            double delta) {
  constexpr double kStep = 1 + 1e-6;
  double scale = UpDiv(1, rate);
  for (int attempt = 0; attempt < 100; ++attempt, scale *= kStep) {
    SOTTO_TRY_ASSIGN(const auto value, bound.delta(UpDiv(1, scale), epsilon));
    if (value <= delta) return scale;
  }
  return NotConverged("the least noise scale could not be certified");
}

// ln(delta of `bound` / `delta`) as a function of ln(rate).
auto Excess(const Bound& bound, double epsilon, double delta) {
  return [&bound, epsilon, delta](double log_rate) -> Result<double> {
    SOTTO_TRY_ASSIGN(const auto value,
                     bound.delta(std::exp(log_rate), epsilon));
    return LogRatio(std::fmax(value, 1e-308), delta);
  };
}

// ln of a rate that meets the target while twice it does not: walks down from
// a rate that is surely too large.
Result<double> BracketFromAbove(const Bound& bound, double epsilon,
                                double delta) {
  constexpr double kLeastRate = 0x1p-29;
  const auto excess = Excess(bound, epsilon, delta);
  double log_rate = std::log(std::fmin(epsilon, 32.0));
  while (log_rate > std::log(kLeastRate)) {
    SOTTO_TRY_ASSIGN(const auto value, excess(log_rate));
    if (value <= 0) return log_rate;
    log_rate -= std::log(2.0);
  }
  return NotConverged("no noise scale up to 2^29 meets the target");
}

// The least scale at which `bound` meets (epsilon, delta), searched from a rate
// that does.
Result<double> LeastScale(const Bound& bound, double low_log_rate,
                          double epsilon, double delta) {
  SOTTO_TRY_ASSIGN(const auto log_rate,
                   LargestMeeting({.low = low_log_rate,
                                   .high = low_log_rate + std::log(2.0),
                                   .goal = 0,
                                   .slope = 10,
                                   .tolerance = 2e-4},
                                  Excess(bound, epsilon, delta)));
  return CheckedScale(bound, std::exp(log_rate), epsilon, delta);
}

// The Renyi bound is cheap and never better than the exact one: where it meets
// the target is where the search for the exact one starts.
Result<std::pair<double, std::string_view>> LeastThresholdNoise(
    const AccountQuestion& question, double epsilon, double delta) {
  const Bound renyi = ComputeBound(question, false);
  SOTTO_TRY_ASSIGN(const auto bracket, BracketFromAbove(renyi, epsilon, delta));
  SOTTO_TRY_ASSIGN(const auto scale,
                   LeastScale(renyi, bracket, epsilon, delta));
  if (question.method != AccountMethod::kRenyi) {
    const auto exact = LeastScale(ComputeBound(question, true),
                                  -std::log(scale), epsilon, delta);
    if (exact) return std::pair(*exact, kExactName);
    if (question.method == AccountMethod::kExact) return exact.error();
  }
  return std::pair(scale, kRenyiName);
}

std::string GetName(const AccountQuestion& question, std::string_view method) {
  const bool basic =
      question.mechanism == AccountMechanism::kPop && question.compositions > 1;
  return std::string(method) + (basic ? ", basic composition" : "");
}

}  // namespace

std::string_view ToString(AccountMechanism mechanism) {
  for (const auto& [name, value] : kNames) {
    if (value == mechanism) return name;
  }
  return "";
}

Result<AccountMechanism> ParseAccountMechanism(std::string_view word) {
  std::string known;
  for (const auto& [name, value] : kNames) {
    if (name == word) return value;
    known += known.empty() ? "" : ", ";
    known += name;
  }
  return InvalidArgument("no mechanism '" + std::string(word) +
                         "'; there are " + known);
}

double PureNoiseScale(const AccountAnswer& answer) {
  return LeastUpDiv(1, answer.noise_scale);
}

Result<AccountAnswer> LeastEpsilonFor(const AccountQuestion& question,
                                      double delta) {
  for (const Status& status : {ValidateCommon(question),
                               ValidateNoise(question), ValidateDelta(delta)}) {
    if (!status) return status.error();
  }
  AccountAnswer answer;
  answer.delta = delta;
  answer.noise_scale = question.noise_scale;
  if (const auto kind = FindNoiseKind(question.mechanism)) {
    SOTTO_TRY_ASSIGN(
        const auto epsilon,
        EpsilonFor({*kind, question.noise_scale, question.compositions},
                   delta));
    answer.epsilon = epsilon;
    answer.method = MethodName(*kind);
    return answer;
  }
  const double rate = UpDiv(1, question.noise_scale);
  const auto found = FirstAnswer(
      question, [&](const Bound& bound) { return bound.epsilon(rate, delta); });
  if (!found) return found.error();
  answer.epsilon = found->first;
  answer.method = GetName(question, found->second);
  return answer;
}

Result<AccountAnswer> LeastDeltaFor(const AccountQuestion& question,
                                    double epsilon) {
  for (const Status& status :
       {ValidateCommon(question), ValidateNoise(question),
        ValidateEpsilon(epsilon)}) {
    if (!status) return status.error();
  }
  AccountAnswer answer;
  answer.epsilon = epsilon;
  answer.noise_scale = question.noise_scale;
  if (const auto kind = FindNoiseKind(question.mechanism)) {
    SOTTO_TRY_ASSIGN(const auto delta, DeltaFor({*kind, question.noise_scale,
                                                 question.compositions},
                                                epsilon));
    answer.delta = delta;
    answer.method = MethodName(*kind);
    return answer;
  }
  const double rate = UpDiv(1, question.noise_scale);
  const auto found = FirstAnswer(
      question, [&](const Bound& bound) { return bound.delta(rate, epsilon); });
  if (!found) return found.error();
  answer.delta = found->first;
  answer.method = GetName(question, found->second);
  return answer;
}

Result<AccountAnswer> LeastNoiseFor(const AccountQuestion& question,
                                    double epsilon, double delta) {
  for (const Status& status :
       {ValidateCommon(question), ValidateEpsilon(epsilon),
        ValidateDelta(delta)}) {
    if (!status) return status.error();
  }
  AccountAnswer answer;
  answer.epsilon = epsilon;
  answer.delta = delta;
  if (const auto kind = FindNoiseKind(question.mechanism)) {
    SOTTO_TRY_ASSIGN(
        const auto parameter,
        ParameterFor(*kind, question.compositions, epsilon, delta));
    answer.noise_scale = parameter;
    answer.method = MethodName(*kind);
    return answer;
  }
  SOTTO_TRY_ASSIGN(const auto found,
                   LeastThresholdNoise(question, epsilon, delta));
  answer.noise_scale = found.first;
  answer.method = GetName(question, found.second);
  return answer;
}

}  // namespace sotto
