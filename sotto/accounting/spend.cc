#include "sotto/accounting/spend.h"

#include <cmath>
#include <utility>

#include "sotto/accounting/composition.h"
#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

// Fraction of the request from which on the request itself is stated.
constexpr double kNearly = 0.99;

ApproximateDp OneStep(const Spend& spend) {
  if (spend.rule == Spend::Rule::kAlone || spend.rule == Spend::Rule::kJoint) {
    return spend.cost;
  }
  std::vector<ApproximateDp> costs;
  costs.reserve(spend.parts.size());
  for (const Spend& part : spend.parts) costs.push_back(Total(part));
  return spend.rule == Spend::Rule::kSum ? Compose(costs) : MaxLoss(costs);
}

double Stated(double total, double asked) {
  return total >= kNearly * asked ? asked : total;
}

}  // namespace

std::string_view ToString(SamplerKind kind) {
  switch (kind) {
    case SamplerKind::kLaplace:
      return "laplace";
    case SamplerKind::kGeometric:
      return "geometric";
    case SamplerKind::kGaussian:
      return "gaussian";
    case SamplerKind::kSelection:
      return "selection";
    case SamplerKind::kTable:
      return "table";
  }
  return "unknown";
}

Spend MakePart(std::string name, const ApproximateDp& cost,
               std::optional<SpentNoise> noise) {
  return {.name = std::move(name), .cost = cost, .noise = noise};
}

Spend PurePart(std::string name, SamplerKind kind, double rate,
               double sensitivity, double delta) {
  double epsilon = rate * sensitivity;
  if (std::fma(rate, sensitivity, -epsilon) > 0) epsilon = StepUp(epsilon);
  return MakePart(
      std::move(name), {epsilon, delta},
      SpentNoise{.kind = kind, .scale = 1 / rate, .sensitivity = sensitivity});
}

Spend GaussianPart(std::string name, const ApproximateDp& cost,
                   double deviation, double sensitivity) {
  return MakePart(std::move(name), cost,
                  SpentNoise{.kind = SamplerKind::kGaussian,
                             .scale = deviation,
                             .sensitivity = sensitivity});
}

Spend AddParts(std::string name, std::vector<Spend> parts) {
  return {.name = std::move(name),
          .rule = Spend::Rule::kSum,
          .parts = std::move(parts)};
}

Spend TakeLargest(std::string name, std::vector<Spend> parts) {
  return {.name = std::move(name),
          .rule = Spend::Rule::kMax,
          .parts = std::move(parts)};
}

Spend ComposeParts(std::string name, const ApproximateDp& cost,
                   std::vector<Spend> parts) {
  return {.name = std::move(name),
          .rule = Spend::Rule::kJoint,
          .cost = cost,
          .parts = std::move(parts)};
}

Spend ForSteps(Spend spend, std::uint64_t steps) {
  if (steps == 1) return spend;
  if (spend.steps == 1) {
    spend.steps = steps;
    return spend;
  }
  Spend group = AddParts(spend.name, {std::move(spend)});
  group.steps = steps;
  return group;
}

ApproximateDp Total(const Spend& spend) {
  return ForGroup(OneStep(spend), spend.steps);
}

Result<ApproximateDp> StatedCost(const Spend& spend,
                                 const ApproximateDp& asked) {
  const ApproximateDp total = Total(spend);
  const bool within =
      total.epsilon <= asked.epsilon &&
      (asked.delta == 0 ? total.delta < 1 : total.delta <= asked.delta);
  if (!within) {
    return BudgetExhausted("the parts of '" + spend.name + "' cost epsilon " +
                           TextUp(total.epsilon) + " and delta " +
                           TextUp(total.delta) + ", more than epsilon " +
                           TextUp(asked.epsilon) + " and delta " +
                           TextUp(asked.delta));
  }
  return ApproximateDp{
      Stated(total.epsilon, asked.epsilon),
      asked.delta == 0 ? total.delta : Stated(total.delta, asked.delta)};
}

}  // namespace sotto
