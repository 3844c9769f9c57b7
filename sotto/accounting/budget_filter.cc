#include "sotto/accounting/budget_filter.h"

#include <cmath>
#include <limits>

#include "sotto/accounting/renyi.h"
#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Share of the limit by which decimals may be above themselves as doubles.
constexpr double kRounding = 0x1p-40;

double WithRounding(double limit) { return limit + limit * kRounding; }

}  // namespace

BudgetFilter::BudgetFilter(const Params& params)
    : params_(params),
      bound_{WithRounding(params.limit.epsilon),
             WithRounding(params.limit.delta)} {
  for (std::size_t i = 0; i < kOrders.size(); ++i) {
    const double share = DownDiv(params.slack, kOrders.size());
    most_[i] = share > 0 ? LogMomentBudget(kOrders[i], bound_.epsilon, share)
                         : -kInfinity;
  }
}

Result<BudgetFilter> BudgetFilter::Create(const Params& params) {
  const auto& [epsilon, delta] = params.limit;
  if (!(epsilon > 0 && epsilon < kInfinity)) {
    return InvalidArgument("a budget's epsilon must be greater than 0");
  }
  if (!(delta >= 0 && delta < 1)) {
    return InvalidArgument("a budget's delta must be in [0, 1)");
  }
  if (!(params.slack >= 0 && params.slack <= delta)) {
    return InvalidArgument("a budget's slack must be at most its delta");
  }
  return BudgetFilter(params);
}

BudgetFilter::Account BudgetFilter::Add(const Account& a, const Account& b) {
  Account sum{{LeastUpAdd(a.sum.epsilon, b.sum.epsilon),
               LeastUpAdd(a.sum.delta, b.sum.delta)}};
  for (std::size_t i = 0; i < kOrders.size(); ++i) {
    sum.moments[i] = LeastUpAdd(a.moments[i], b.moments[i]);
  }
  return sum;
}

BudgetFilter::Account BudgetFilter::GroupTotal(std::string_view group) const {
  const auto found = groups_.find(group);
  return found == groups_.end() ? everybody_ : Add(everybody_, found->second);
}

// budget_filter.md, step 2.
bool BudgetFilter::Fits(const Account& total) const {
  if (!(total.sum.delta <= bound_.delta - params_.slack)) return false;
  if (total.sum.epsilon <= bound_.epsilon) return true;
  for (std::size_t i = 0; i < kOrders.size(); ++i) {
    if (total.moments[i] <= most_[i]) return true;
  }
  return false;
}

Status BudgetFilter::Charge(const ApproximateDp& cost, std::string_view group) {
  if (!(cost.epsilon >= 0 && cost.epsilon < kInfinity && cost.delta >= 0 &&
        cost.delta < 1)) {
    return InvalidArgument(
        "a cost has a finite epsilon >= 0 and a delta in [0, 1)");
  }
  Account more{cost};
  if (cost.epsilon > 0) {
    const RenyiCurve curve = PureCurve(cost.epsilon);
    for (std::size_t i = 0; i < kOrders.size(); ++i) {
      more.moments[i] = curve.LogMomentAt(kOrders[i]);
    }
  }
  BudgetFilter after = *this;
  Account& paid =
      group.empty() ? after.everybody_ : after.groups_[std::string(group)];
  paid = Add(paid, more);
  bool fits = after.Fits(after.GroupTotal(group));
  if (group.empty()) {
    for (const auto& [name, account] : after.groups_) {
      fits = fits && after.Fits(after.GroupTotal(name));
    }
  }
  if (!fits) {
    return BudgetExhausted("this charge would exceed the privacy budget");
  }
  *this = std::move(after);
  return Ok();
}

ApproximateDp BudgetFilter::SpentBy(std::string_view group) const {
  return GroupTotal(group).sum;
}

BudgetFilter::Spent BudgetFilter::MostSpent() const {
  Spent most{everybody_.sum, ""};
  for (const auto& [name, account] : groups_) {
    const ApproximateDp total = GroupTotal(name).sum;
    if (total.epsilon > most.cost.epsilon ||
        (total.epsilon == most.cost.epsilon && total.delta > most.cost.delta)) {
      most = {total, name};
    }
  }
  return most;
}

}  // namespace sotto
