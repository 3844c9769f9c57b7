#include "sotto/mechanisms/selection/exponential_mechanism.h"

#include "sotto/accounting/rounding.h"

namespace sotto {

Result<ExponentialMechanism> ExponentialMechanism::Create(
    const Params& params) {
  SOTTO_TRY_ASSIGN(const auto rate, SelectionRate(params));
  SOTTO_TRY_ASSIGN(auto selection, ExponentialSelection::Create(rate));
  SOTTO_TRY_ASSIGN(auto guarantee, SelectionGuarantee(params));
  return ExponentialMechanism(params, rate, std::move(selection),
                              std::move(guarantee));
}

Result<std::size_t> ExponentialMechanism::Select(
    std::span<const std::int64_t> scores, Rng& rng) const {
  if (scores.size() != params_.candidates) {
    return InvalidArgument("there must be one score for each candidate");
  }
  std::vector<std::int64_t> others;
  return selection_.Select(WatchedScores(params_, scores, rng, others), rng);
}

Result<std::size_t> ExponentialMechanism::SelectExactly(
    std::span<const std::int64_t> scores, Rng& rng) const {
  if (scores.size() != params_.candidates) {
    return InvalidArgument("there must be one score for each candidate");
  }
  std::vector<std::int64_t> others;
  return selection_.SelectExactly(WatchedScores(params_, scores, rng, others),
                                  rng);
}

std::int64_t ExponentialMechanism::LossBound(double failure) const {
  // Step 6: all the others lose t + 1.
  const auto others = static_cast<double>(params_.candidates - 1);
  return LeastLoss(rate_.ToDoubleDown(), failure, [&](double weight) {
    return others * weight / (1 + others * weight);
  });
}

Zcdp ExponentialMechanism::zcdp() const {
  return {UpMul(params_.epsilon, params_.epsilon) / 8};
}

}  // namespace sotto
