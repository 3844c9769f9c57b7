#include "sotto/accounting/group_privacy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Two expm1 and a division; renyi.md, "Constants".
constexpr double kLibm = 16 * std::numeric_limits<double>::epsilon();

double AsDouble(std::uint64_t size) {
  const auto nearest = static_cast<double>(size);
  // Exact below 2^53.
  return size < (std::uint64_t{1} << 53) ? nearest : StepUp(nearest);
}

// x * size, rounded up, exactly x for one and 0 for nothing.
double Times(double x, std::uint64_t size) {
  if (size == 0 || x == 0) return 0;
  if (!(x > 0)) return kInfinity;
  return size == 1 ? x : UpMul(x, AsDouble(size));
}

double ScaledDelta(double delta, double factor) {
  if (delta == 0) return 0;
  if (!(delta > 0 && delta <= 1)) return 1;
  if (factor == 1) return delta;
  return std::min(1.0, UpMul(delta, factor));
}

// The same guarantee with epsilon times `steps` and delta times the factor of a
// chain of `steps` steps. group_privacy.md, steps 1 and 4.
Result<Guarantee> Chained(Guarantee::Params params, std::uint64_t steps) {
  const double factor = GroupFactor(params.epsilon, steps);
  params.epsilon = Times(params.epsilon, steps);
  params.spend = ForSteps(std::move(params.spend), steps);
  if (params.schedule.has_value()) {
    SOTTO_TRY_ASSIGN(DeltaSchedule scaled, params.schedule->ScaledBy(factor));
    params.schedule = std::move(scaled);
  } else {
    params.delta = ScaledDelta(params.delta, factor);
  }
  return Guarantee::Create(std::move(params));
}

}  // namespace

double GroupFactor(double epsilon, std::uint64_t size) {
  if (!(epsilon >= 0)) return kInfinity;
  if (size <= 1) return static_cast<double>(size);
  if (epsilon == 0) return AsDouble(size);
  const double all = std::expm1(UpMul(epsilon, AsDouble(size)));
  const double factor = InflateUp(all / std::expm1(epsilon), kLibm);
  return std::isnan(factor) ? kInfinity : factor;
}

PureDp ForGroup(const PureDp& one, std::uint64_t size) {
  return {Times(one.epsilon, size)};
}

ApproximateDp ForGroup(const ApproximateDp& one, std::uint64_t size) {
  if (size == 0) return {0, 0};
  return {Times(one.epsilon, size),
          ScaledDelta(one.delta, GroupFactor(one.epsilon, size))};
}

Zcdp ForGroup(const Zcdp& one, std::uint64_t size) {
  return {Times(Times(one.rho, size), size)};
}

ApproximateDp ReplaceFromAddRemove(const ApproximateDp& one) {
  return ForGroup(one, 2);
}

Result<ApproximateDp> PerRoundTarget(const ApproximateDp& user,
                                     std::uint64_t size) {
  if (!(user.epsilon >= 0) || std::isinf(user.epsilon)) {
    return InvalidArgument("epsilon must be finite and not negative");
  }
  if (!(user.delta >= 0 && user.delta < 1)) {
    return InvalidArgument("delta must lie in [0, 1)");
  }
  if (size == 0) return InvalidArgument("a group has at least one member");
  if (size == 1) return user;
  ApproximateDp one = user;
  if (user.epsilon > 0) one.epsilon = user.epsilon / AsDouble(size);
  while (Times(one.epsilon, size) > user.epsilon) {
    one.epsilon = StepDown(one.epsilon);
  }
  if (user.delta == 0) return one;
  one.delta = user.delta / GroupFactor(one.epsilon, size);
  if (one.delta < std::numeric_limits<double>::min()) {
    return NotConverged("delta for one round underflows");
  }
  while (ForGroup(one, size).delta > user.delta) {
    one.delta = StepDown(one.delta);
  }
  return one;
}

Result<Guarantee> UserLevel(const Guarantee& one, std::uint64_t rounds) {
  if (one.rounds_per_user() != 1) {
    return InvalidArgument("the guarantee is already for several rounds");
  }
  if (rounds == 0) {
    return InvalidArgument("a user takes part in at least one round");
  }
  Guarantee::Params params = one.params();
  params.rounds_per_user = rounds;
  return Chained(std::move(params), rounds);
}

Result<Guarantee> ReplaceFromAddRemove(const Guarantee& one) {
  if (one.relation() != Relation::kAddRemove) {
    return InvalidArgument("only an add-remove guarantee can be restated");
  }
  if (one.rounds_per_user() != 1) {
    return InvalidArgument(
        "restate the guarantee of one round first, then group the rounds");
  }
  Guarantee::Params params = one.params();
  params.relation = Relation::kReplace;
  return Chained(std::move(params), 2);
}

}  // namespace sotto
