#include "sotto/mechanisms/selection/selection.h"

#include <cmath>

#include "sotto/accounting/rounding.h"

namespace sotto {

Result<Selection> Selection::Create(const Params& params) {
  SelectionParams choice{.epsilon = params.epsilon,
                         .sensitivity = params.sensitivity,
                         .candidates = params.candidates,
                         .monotone = params.monotone};
  if (params.zcdp == 0 && params.exponential) {
    SOTTO_TRY_ASSIGN(auto mechanism, ExponentialMechanism::Create(choice));
    return Selection(Mechanism(std::move(mechanism)));
  }
  if (params.zcdp == 0) {
    SOTTO_TRY_ASSIGN(auto mechanism, PermuteAndFlip::Create(choice));
    return Selection(Mechanism(std::move(mechanism)));
  }
  if (params.epsilon != 0 || !(params.zcdp > 0)) {
    return InvalidArgument("give one of epsilon and zcdp, and above zero");
  }
  // Step 2: the largest epsilon with epsilon^2 / 8 <= zcdp, or a little less.
  choice.epsilon = StepDown(StepDown(std::sqrt(8 * params.zcdp)));
  SOTTO_TRY_ASSIGN(auto mechanism, ExponentialMechanism::Create(choice));
  return Selection(Mechanism(std::move(mechanism)));
}

Result<std::size_t> Selection::Select(std::span<const std::int64_t> scores,
                                      Rng& rng) const {
  return std::visit([&](const auto& m) { return m.Select(scores, rng); },
                    mechanism_);
}

std::int64_t Selection::LossBound(double failure) const {
  return std::visit([&](const auto& m) { return m.LossBound(failure); },
                    mechanism_);
}

std::string_view Selection::reason() const {
  if (rule() == Rule::kPermuteAndFlip) {
    return "permute-and-flip: at a given epsilon it never loses more than the "
           "exponential mechanism";
  }
  return "exponential mechanism: asked for, or at a given zCDP it may use "
         "twice the rate of "
         "permute-and-flip";
}

const Guarantee& Selection::guarantee() const {
  return std::visit(
      [](const auto& m) -> const Guarantee& { return m.guarantee(); },
      mechanism_);
}

}  // namespace sotto
