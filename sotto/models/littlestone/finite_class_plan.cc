#include "sotto/models/littlestone/finite_class_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/monotone_search.h"
#include "sotto/accounting/renyi.h"
#include "sotto/accounting/rounding.h"
#include "sotto/base/number_text.h"

namespace sotto {
namespace {

// Found by measuring adaptive adversaries on classes of 1,024 functions.
constexpr double kChangesPerBit = 3.6;
constexpr double kStopperShare = 0.25;  // of epsilon
constexpr double kMostStopper = 16;     // of ExactStopper
constexpr double kLeastRate = 0x1p-16;  // of LossWeights and ExactStopper
constexpr double kLimitInRates = 0.5;   // of the rate of a first mistake
constexpr double kLongestPeriod = 16;
constexpr double kFalseAlarms = 0.05;  // of the test, over the horizon
constexpr double kUsualHorizon = 1e6;
constexpr std::uint64_t kVotes = 3;
constexpr std::uint64_t kLeastChanges = 8;
constexpr double kFirstWeight = 8;
constexpr int kHalvings = 60;

double CountBits(const FiniteClass& functions) {
  return std::log2(static_cast<double>(functions.size()));
}

// The weights of mistakes, in units of the rate: those before change a are in
// as many draws as there are changes from a on, and cost the same in total.
std::vector<std::uint32_t> WeightsFor(std::uint64_t changes) {
  std::vector<std::uint32_t> weights;
  const auto all = static_cast<double>(changes);
  for (std::uint64_t a = 0; a < changes; ++a) {
    const double left = all - static_cast<double>(a);
    weights.push_back(
        static_cast<std::uint32_t>(kFirstWeight * std::sqrt(all / left)));
  }
  return weights;
}

// The largest rate that keeps to delta at this epsilon.
Result<Rational> RateFor(FiniteClassLearner::Params params,
                         const ApproximateDp& each) {
  double low = 0;
  double high = 1;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    const auto rate = RationalBelow(middle);
    if (!rate) break;
    params.rate = *rate;
    (FiniteClassDelta(params, each.epsilon) <= each.delta ? low : high) =
        middle;
  }
  const auto found = RationalBelow(low);
  if (low > 0 && found) return *found;
  return NotConverged(
      "no rate keeps to this epsilon and delta: delta must be "
      "positive, and fewer changes or votes help");
}

bool IsEnough(const FiniteClassLearner::Params& params) {
  return std::min(params.rate.ToDoubleDown(), params.stopper) >= kLeastRate;
}

// By steps, as rates are about proportional to epsilon.
Error TooSmall(FiniteClassLearner::Params params, ApproximateDp each) {
  constexpr int kSteps = 12;
  constexpr double kStep = 1.02;
  const double first = each.epsilon;
  for (int i = 0; i < kSteps && !IsEnough(params); ++i) {
    const double rate = std::min(params.rate.ToDoubleDown(), params.stopper);
    each.epsilon *= kStep * kLeastRate / rate;
    params.stopper = kStopperShare * each.epsilon;
    const auto found = RateFor(params, each);
    if (!found) break;
    params.rate = *found;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2g",
                kStep * params.user.epsilon * each.epsilon / first);
  return InvalidArgument("epsilon is too small for a class of " +
                         WithCommas(params.functions->size()) +
                         " functions: it takes about " + text.data());
}

// A test at no mistakes at all fires with probability about e^(-stopper limit)
// / 2: the limit keeps down how often that happens, and is not so low that
// what is drawn next hardly differs.
void SetTest(const FiniteClassOptions& options,
             FiniteClassLearner::Params& params) {
  const double rounds = options.horizon == 0
                            ? kUsualHorizon
                            : static_cast<double>(options.horizon);
  const double rate = params.rate.ToDoubleUp() * params.weights.front();
  double period = 1;
  double limit = 2;
  // The period is half the limit, which depends on it a little.
  for (int i = 0; i < 4; ++i) {
    const double alarms = rounds / period / (2 * kFalseAlarms);
    limit = std::max({2.0, kLimitInRates / rate,
                      std::log(std::max(alarms, 1.0)) / params.stopper});
    period = std::clamp(std::floor(limit / 2), 1.0, kLongestPeriod);
  }
  params.limit = options.limit.value_or(std::llround(limit));
  params.period = options.period.value_or(static_cast<std::uint64_t>(period));
}

}  // namespace

Result<FiniteClassLearner::Params> ChooseFiniteClass(
    const FiniteClassOptions& options) {
  SOTTO_TRY_ASSIGN(const auto each,
                   PerRoundTarget(options.user, options.rounds_per_user));
  const double bits = CountBits(*options.functions);
  const std::uint64_t changes = options.changes.value_or(std::max(
      kLeastChanges, static_cast<std::uint64_t>(kChangesPerBit * bits)));
  if (changes < 1 || changes > FiniteClassLearner::kMaxFirings) {
    return InvalidArgument("changes: expected 1 to 4096");
  }
  FiniteClassLearner::Params params{
      .functions = options.functions,
      .user = options.user,
      .relation = options.relation,
      .rounds_per_user = options.rounds_per_user,
      .stopper = options.stopper.value_or(
          std::min(DownMul(each.epsilon, kStopperShare), kMostStopper)),
      .votes = options.votes.value_or(
          options.adversary == Adversary::kAdaptive ? kVotes : 1),
      .weights = WeightsFor(changes),
      .delay = options.delay,
      .streams = options.adversary};
  SOTTO_TRY_ASSIGN(const auto rate, RateFor(params, each));
  params.rate = rate;
  if (!options.stopper && !IsEnough(params)) return TooSmall(params, each);
  SetTest(options, params);
  return params;
}

// So much of the changes was used where it was measured, each after the limit
// and about a period.
double ExpectedClassMistakes(const FiniteClassLearner::Params& params) {
  constexpr double kUsed = 0.55;
  const double changes =
      std::min(static_cast<double>(params.weights.size()),
               kChangesPerBit * CountBits(*params.functions));
  return kUsed * changes *
         (static_cast<double>(params.limit) +
          static_cast<double>(params.period));
}

}  // namespace sotto
