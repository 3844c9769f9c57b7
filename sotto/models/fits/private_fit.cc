#include "sotto/models/fits/private_fit.h"

#include <utility>

#include "sotto/mechanisms/selection/selection_params.h"

namespace sotto {

Result<Rational> RowRate(const FitBudget& budget) {
  constexpr std::uint64_t kMostRounds = 1024;
  if (!(budget.user.epsilon >= 0x1p-10) || budget.user.epsilon > 16) {
    return InvalidArgument(
        "a private fit needs an --epsilon from 1/1024 to 16; --public, --drift "
        "and --learner auto take parts of it");
  }
  if (budget.rounds_per_user < 1 || budget.rounds_per_user > kMostRounds) {
    return InvalidArgument(
        "a private fit is for users with at most 1024 rounds");
  }
  return SelectionRate(
      {.epsilon = budget.user.epsilon,
       .sensitivity = static_cast<std::int64_t>(budget.rounds_per_user),
       .candidates = 2,
       .monotone = budget.relation == Relation::kAddRemove});
}

Spend DrawCost(std::string name, const FitBudget& budget, const Rational& rate,
               double units) {
  const double ways = budget.relation == Relation::kAddRemove ? 1 : 2;
  const double moved =
      ways * units * static_cast<double>(budget.rounds_per_user);
  return PurePart(std::move(name), SamplerKind::kSelection, rate.ToDoubleUp(),
                  moved);
}

const OptionTable& FitOptions() {
  static const OptionTable kTable = {
      {.name = "range",
       .fallback = "0,1",
       .help = "LOW,HIGH: range of numbers without a schema; values outside "
               "are clamped.",
       .group = "Learning"}};
  return kTable;
}

}  // namespace sotto
