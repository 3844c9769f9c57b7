#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/accounting/spend.h"
#include "sotto/base/rational.h"
#include "sotto/base/result.h"
#include "sotto/models/fits/greedy_cover/cover_data.h"
#include "sotto/models/fits/greedy_cover/decision_list.h"
#include "sotto/models/fits/greedy_cover/rule_space.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/rng.h"

namespace sotto {

// Releases how many rows each rule of a list catches, by their label: a row is
// caught by one rule alone, so all the counts together are one histogram.
//
//   auto shares = SharesMechanism::Create({.epsilon = 0.1, .max_rules = 40});
//   if (!shares) return shares.error();
//   RuleShares counts = shares->Release(list, space, data, rng);
//
// Guarantee: (epsilon(), delta())-DP for one row, the list being public.
// Proof:     greedy_cover.md, "Shares".
// Threads:   immutable; const calls may run at the same time. Each Release
//            spends again.
class SharesMechanism {
 public:
  struct Params {
    double epsilon = 0;
    Relation relation = Relation::kReplace;
    std::uint32_t max_rules = 40;
  };

  // Fails with kInvalidArgument unless epsilon is in (2^-40, 64], the relation
  // is one of rows and there are 1 to 100000 rules.
  static Result<SharesMechanism> Create(const Params& params);

  // One count for each rule, the "else" last. Requires: the list has the
  // columns of `space`, `data` was built with it, and there are at most
  // max_rules rules.
  RuleShares Release(const DecisionList& list, const RuleSpace& space,
                     const CoverData& data, Rng& rng) const;

  // Privacy cost: at most Params.epsilon, and the slack of the sampler.
  double epsilon() const { return epsilon_; }
  double delta() const { return delta_; }
  Spend spend() const;  // the same, with its noise
  // Scale of the noise on each count.
  double scale() const { return rate_.Reciprocal().ToDoubleUp(); }

 private:
  SharesMechanism(const Params& params, const Rational& rate, double epsilon,
                  double delta, FixedWorkLaplace noise)
      : params_(params),
        rate_(rate),
        epsilon_(epsilon),
        delta_(delta),
        noise_(std::move(noise)) {}

  Params params_;
  Rational rate_;
  double epsilon_;
  double delta_;
  FixedWorkLaplace noise_;
};

// The counts without noise: not private.
RuleShares CountCaught(const DecisionList& list, const RuleSpace& space,
                       const CoverData& data);

}  // namespace sotto
