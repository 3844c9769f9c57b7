#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "sotto/accounting/privacy_cost.h"
#include "sotto/base/result.h"

namespace sotto {

// One limit on everything that is released about the same people. Costs may be
// chosen adaptively; groups of people that have no member in common each have
// the whole limit.
//
//   auto budget = BudgetFilter::Create({.limit = {3, 1e-5}});
//   if (Status paid = budget->Charge({1, 1e-6}); !paid) return paid.error();
//   Release(...);                                   // only now
//   Status paid = budget->Charge({1, 1e-6}, "north");
//
// With `slack` above 0, many small costs are admitted beyond the sum of their
// epsilons: the total is then bounded by Renyi moments at fixed orders, for
// which `slack` of delta is kept aside.
//
// Guarantee: all admitted charges together are guaranteed()-DP, for the people
//            of every group, for adaptive choices.
// Proof:     budget_filter.md, next to this file.
// Threads:   not thread-safe.
class BudgetFilter {
 public:
  struct Params {
    ApproximateDp limit;
    double slack = 0;  // part of limit.delta
  };
  static constexpr std::array<double, 8> kOrders = {2,  4,  8,   16,
                                                    32, 64, 128, 256};

  // Fails with kInvalidArgument unless epsilon is positive and finite, delta
  // lies in [0, 1), and slack in [0, delta].
  static Result<BudgetFilter> Create(const Params& params);

  // Books the whole cost, for everybody or for one group, and returns Ok; or
  // changes nothing and returns kBudgetExhausted (kInvalidArgument for a cost
  // that is negative or not finite).
  Status Charge(const ApproximateDp& cost, std::string_view group = {});

  // The sum of the costs of the people who paid most, and their group; empty:
  // none of the groups.
  struct Spent {
    ApproximateDp cost;
    std::string group;
  };
  Spent MostSpent() const;
  // Sum of the costs of the people of one group (empty: of no group).
  ApproximateDp SpentBy(std::string_view group) const;
  // The least (epsilon, delta) that the limit promises: the limit and 2^-40 of
  // it, so that ten charges of 0.1 fit into 1.
  ApproximateDp guaranteed() const { return bound_; }
  const Params& params() const { return params_; }

 private:
  struct Account {
    ApproximateDp sum;
    std::array<double, kOrders.size()> moments{};
  };

  explicit BudgetFilter(const Params& params);
  static Account Add(const Account& a, const Account& b);
  Account GroupTotal(std::string_view group) const;
  bool Fits(const Account& total) const;

  Params params_;
  ApproximateDp bound_;
  std::array<double, kOrders.size()> most_{};  // log-moment at each order
  Account everybody_;
  std::map<std::string, Account, std::less<>> groups_;
};

}  // namespace sotto
