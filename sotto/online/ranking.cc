#include "sotto/online/ranking.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace sotto {
namespace {

bool IsHopeless(const Plan& plan) { return plan.verdict == Verdict::kHopeless; }

// Models that answer users come before those that fit a table once.
auto RankKey(const NamedPlan& named) {
  constexpr double kLast = std::numeric_limits<double>::infinity();
  if (!named.plan)
    return std::tuple(2, false, ForecastAssumption::kNothing, kLast, kLast);
  const Plan& plan = *named.plan;
  return std::tuple(IsHopeless(plan) ? 1 : 0, plan.samples_required.has_value(),
                    plan.presumes, ExpectedShare(plan).value_or(kLast),
                    plan.samples_required.value_or(kLast));
}

}  // namespace

std::string_view ToString(ModelKind kind) {
  switch (kind) {
    case ModelKind::kOnline:
      return "online";
    case ModelKind::kTrained:
      return "trained";
    case ModelKind::kBatch:
      break;
  }
  return "batch";
}

std::string_view ToString(ForecastAssumption assumption) {
  switch (assumption) {
    case ForecastAssumption::kNothing:
      return "none";
    case ForecastAssumption::kRule:
      return "rule";
    case ForecastAssumption::kMargin:
      break;
  }
  return "margin";
}

std::optional<std::string> VerdictName(const Plan& plan) {
  if (!plan.verdict) return std::nullopt;
  const bool assumes = plan.presumes != ForecastAssumption::kNothing;
  if (assumes && !IsHopeless(plan)) return "depends";
  return std::string(ToString(*plan.verdict));
}

std::optional<double> ExpectedShare(const Plan& plan) {
  if (plan.mistakes_expected && plan.horizon > 0) {
    return *plan.mistakes_expected / plan.horizon;
  }
  return plan.excess_expected;
}

void Rank(std::vector<NamedPlan>& plans) {
  std::stable_sort(plans.begin(), plans.end(),
                   [](const NamedPlan& a, const NamedPlan& b) {
                     return RankKey(a) < RankKey(b);
                   });
}

std::string RankingReason(const NamedPlan& named) {
  if (!named.plan) return named.plan.error().message;
  const Plan& plan = *named.plan;
  if (IsHopeless(plan)) {
    return plan.advice.empty() ? "the noise drowns what there is to learn"
                               : plan.advice.front();
  }
  if (plan.samples_required) {
    // Only what answers is planned for a number of rounds.
    return plan.horizon > 0 ? "needs so many labelled rows before it answers"
                            : "fits a table once instead of answering";
  }
  if (plan.presumes == ForecastAssumption::kMargin) {
    return "its figure presumes a stream of the special kind that it is "
           "promised for, which nobody has stated";
  }
  if (plan.presumes == ForecastAssumption::kRule) {
    return "its figure presumes a rule that is never wrong, which few real "
           "streams have";
  }
  return plan.verdict == Verdict::kTight ? "presumes no rule; tight"
                                         : "presumes no rule";
}

}  // namespace sotto
