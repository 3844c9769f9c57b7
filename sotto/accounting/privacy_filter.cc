#include "sotto/accounting/privacy_filter.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool IsAmount(double x) { return x >= 0 && x < kInfinity; }

Error Exhausted() {
  return {ErrorCode::kBudgetExhausted,
          "this charge would exceed the privacy budget"};
}

Error BadState() {
  return {ErrorCode::kCorruption, "the saved state of a filter is impossible"};
}

bool FitsInto(double spent, double budget) {
  return IsAmount(spent) && IsAmount(budget) && spent <= budget;
}

bool AreOrders(const std::vector<double>& orders) {
  if (orders.empty()) return false;
  for (const double order : orders) {
    if (!(order > 1 && order < kInfinity)) return false;
    if (std::count(orders.begin(), orders.end(), order) != 1) return false;
  }
  return true;
}

}  // namespace

Result<ApproximateFilter> ApproximateFilter::Create(
    const ApproximateDp& budget) {
  if (!IsAmount(budget.epsilon) || !(budget.delta >= 0 && budget.delta < 1)) {
    return InvalidArgument(
        "a budget has a finite epsilon >= 0 and a delta in [0, 1)");
  }
  return ApproximateFilter({.budget = budget, .spent = {}});
}

Result<ApproximateFilter> ApproximateFilter::Restore(const State& state) {
  if (!FitsInto(state.spent.epsilon, state.budget.epsilon) ||
      !FitsInto(state.spent.delta, state.budget.delta) ||
      !(state.budget.delta < 1)) {
    return BadState();
  }
  return ApproximateFilter(state);
}

Status ApproximateFilter::Charge(const ApproximateDp& cost) {
  if (!(cost.epsilon >= 0 && cost.delta >= 0)) {
    return InvalidArgument("a cost is not negative");
  }
  const ApproximateDp after{LeastUpAdd(state_.spent.epsilon, cost.epsilon),
                            LeastUpAdd(state_.spent.delta, cost.delta)};
  if (!(after.epsilon <= state_.budget.epsilon &&
        after.delta <= state_.budget.delta)) {
    return Exhausted();
  }
  state_.spent = after;
  return Ok();
}

Result<ZcdpFilter> ZcdpFilter::Create(const Zcdp& budget) {
  if (!IsAmount(budget.rho)) {
    return InvalidArgument("a budget has a finite rho >= 0");
  }
  return ZcdpFilter({.budget = budget, .spent = {}});
}

Result<ZcdpFilter> ZcdpFilter::Restore(const State& state) {
  if (!FitsInto(state.spent.rho, state.budget.rho)) return BadState();
  return ZcdpFilter(state);
}

Status ZcdpFilter::Charge(const Zcdp& cost) {
  if (!(cost.rho >= 0)) return InvalidArgument("a cost is not negative");
  const double after = LeastUpAdd(state_.spent.rho, cost.rho);
  if (!(after <= state_.budget.rho)) return Exhausted();
  state_.spent.rho = after;
  return Ok();
}

Result<RenyiFilter> RenyiFilter::Create(std::vector<double> orders,
                                        const RenyiCurve& budget) {
  if (!AreOrders(orders)) {
    return InvalidArgument("orders are distinct, finite and above 1");
  }
  State state;
  for (const double order : orders) {
    const double allowed = budget.LogMomentAt(order);
    if (!std::isfinite(allowed)) {
      return InvalidArgument("the budget is not finite at one of the orders");
    }
    state.budget.push_back(allowed);
  }
  state.spent.assign(orders.size(), 0.0);
  state.orders = std::move(orders);
  return RenyiFilter(std::move(state));
}

Result<RenyiFilter> RenyiFilter::ForTarget(const ApproximateDp& target,
                                           const std::vector<double>& orders,
                                           const RenyiCurve& typical) {
  if (!AreOrders(orders)) {
    return InvalidArgument("orders are distinct, finite and above 1");
  }
  if (!IsAmount(target.epsilon) || !(target.delta > 0 && target.delta < 1)) {
    return InvalidArgument(
        "a target has a finite epsilon >= 0 and 0 < delta < 1");
  }
  double most = 0;
  State state;
  for (const double order : orders) {
    const double budget = LogMomentBudget(order, target.epsilon, target.delta);
    const double charges = budget / typical.LogMomentAt(order);
    if (!(charges > most)) continue;
    most = charges;
    state = {.orders = {order}, .budget = {budget}, .spent = {0.0}};
  }
  if (most < 1) return Exhausted();
  return RenyiFilter(std::move(state));
}

Result<RenyiFilter> RenyiFilter::Restore(State state) {
  if (!AreOrders(state.orders) || state.budget.size() != state.orders.size() ||
      state.spent.size() != state.orders.size()) {
    return BadState();
  }
  for (std::size_t i = 0; i < state.orders.size(); ++i) {
    if (!FitsInto(state.spent[i], state.budget[i])) return BadState();
  }
  return RenyiFilter(std::move(state));
}

// privacy_filter.md, step 3: every order must fit, whatever the others say.
Status RenyiFilter::Charge(const RenyiCurve& cost) {
  std::vector<double> after = state_.spent;
  for (std::size_t i = 0; i < after.size(); ++i) {
    after[i] = LeastUpAdd(after[i], cost.LogMomentAt(state_.orders[i]));
    if (!(after[i] <= state_.budget[i])) return Exhausted();
  }
  state_.spent = std::move(after);
  return Ok();
}

double RenyiFilter::BudgetDelta(double epsilon) const {
  double delta = 1;
  for (std::size_t i = 0; i < state_.orders.size(); ++i) {
    delta = std::min(delta,
                     DeltaAtOrder(state_.orders[i], state_.budget[i], epsilon));
  }
  return delta;
}

Result<double> RenyiFilter::BudgetEpsilon(double delta) const {
  if (!(delta > 0 && delta < 1)) {
    return InvalidArgument("delta must lie strictly between 0 and 1");
  }
  double epsilon = kInfinity;
  for (std::size_t i = 0; i < state_.orders.size(); ++i) {
    epsilon = std::min(
        epsilon, EpsilonAtOrder(state_.orders[i], state_.budget[i], delta));
  }
  if (!std::isfinite(epsilon)) {
    return NotConverged("no order of the budget proves a finite epsilon");
  }
  return epsilon;
}

}  // namespace sotto
