#include "sotto/accounting/privacy_odometer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// One logarithm; renyi.md, "Constants".
constexpr double kLibm = 16 * std::numeric_limits<double>::epsilon();

bool AreOrders(const std::vector<double>& orders) {
  if (orders.empty()) return false;
  for (const double order : orders) {
    if (!(order > 1 && order < kInfinity)) return false;
    if (std::count(orders.begin(), orders.end(), order) != 1) return false;
  }
  return true;
}

bool IsProbability(double x) { return x > 0 && x < 1; }

}  // namespace

Result<RenyiOdometer> RenyiOdometer::Create(Params params) {
  if (!AreOrders(params.orders)) {
    return InvalidArgument("orders are distinct, finite and above 1");
  }
  if (!IsProbability(params.delta)) {
    return InvalidArgument("delta must lie strictly between 0 and 1");
  }
  State state;
  state.spent.assign(params.orders.size(), 0.0);
  state.orders = std::move(params.orders);
  state.delta = params.delta;
  return RenyiOdometer(std::move(state));
}

Result<RenyiOdometer> RenyiOdometer::Restore(State state) {
  const bool valid = AreOrders(state.orders) &&
                     state.spent.size() == state.orders.size() &&
                     IsProbability(state.delta) &&
                     std::all_of(state.spent.begin(), state.spent.end(),
                                 [](double spent) { return spent >= 0; });
  if (!valid) {
    return Corruption("the saved state of an odometer is impossible");
  }
  return RenyiOdometer(std::move(state));
}

Status RenyiOdometer::Charge(const RenyiCurve& cost) {
  std::vector<double> after = state_.spent;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const double moment = cost.LogMomentAt(state_.orders[i]);
    // An infinite order stays infinite. The others continue.
    after[i] = std::isinf(moment) ? kInfinity : LeastUpAdd(after[i], moment);
  }
  if (std::all_of(after.begin(), after.end(),
                  [](double spent) { return std::isinf(spent); })) {
    return InvalidArgument("the cost is finite at none of the orders left");
  }
  state_.spent = std::move(after);
  return Ok();
}

// privacy_odometer.md, step 3.
double RenyiOdometer::Epsilon() const {
  if (std::all_of(state_.spent.begin(), state_.spent.end(),
                  [](double spent) { return spent == 0; })) {
    return 0;
  }
  const auto orders = static_cast<double>(state_.orders.size());
  const double tail = InflateUp(std::log(UpDiv(orders, state_.delta)), kLibm);
  double epsilon = kInfinity;
  for (std::size_t i = 0; i < state_.orders.size(); ++i) {
    epsilon = std::min(epsilon, UpDiv(UpAdd(state_.spent[i], tail),
                                      DownAdd(state_.orders[i], -1)));
  }
  return epsilon;
}

Status PureOdometer::Charge(const PureDp& cost) {
  if (!(cost.epsilon >= 0) || std::isinf(cost.epsilon)) {
    return InvalidArgument("a cost is finite and not negative");
  }
  spent_ = LeastUpAdd(spent_, cost.epsilon);
  return Ok();
}

}  // namespace sotto
