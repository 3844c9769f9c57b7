#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/models/fits/greedy_cover/cover_calibration.h"
#include "sotto/models/fits/greedy_cover/cover_data.h"
#include "sotto/models/fits/greedy_cover/decision_list.h"
#include "sotto/models/fits/greedy_cover/rule_shares.h"
#include "sotto/models/fits/greedy_cover/rule_space.h"
#include "sotto/random/exponential_selection.h"
#include "sotto/random/rng.h"

namespace sotto {

// Learns a decision list that may be published: again and again draws a rule
// that is wrong on few of the rows that are left, and lets the rows it covers
// go.
//
//   auto learner = GreedyCover::Create({.epsilon = 1, .delta = 1e-6}, space);
//   if (!learner) return learner.error();
//   DecisionList list = learner->Fit(data, rng);
//
// A rule's score is -penalty * wrong + reward * min(right, cap): the errors
// alone (reward = 0) need lists of hundreds of rules, and a reward without cap
// pays for errors with size.
//
// Paper:     [Winnow] Algorithm 1 (DP-GreedyCover) over Algorithm 4 (EMCover).
// Guarantee: (epsilon, delta)-DP of the list for one row, and of its shares if
//            they are asked for. Each Fit on the same data spends again: two
//            lists cost twice epsilon and delta, and nothing here counts them.
// Proof:     cover_delta.md; greedy_cover.md for the shares.
// Threads:   immutable; const calls may run at the same time.
class GreedyCover {
 public:
  struct Params {
    double epsilon = 0;
    double delta = 0;
    Relation relation = Relation::kReplace;
    CoverCalibration::Method calibration = CoverCalibration::Method::kExact;
    std::uint32_t rules = 40;
    // reward / penalty is what a right row is worth, a wrong one being 1.
    std::uint32_t penalty = 5;
    std::uint32_t reward = 1;
    // Maximum that right rows can add to a rule's log-weight, in nats. Default:
    // the logarithm of the number of candidate rules, just enough to outweigh
    // all of them.
    std::optional<double> bonus = std::nullopt;
    // The same as a number of rows, in place of `bonus`.
    std::optional<std::int64_t> cap = std::nullopt;
    std::uint64_t rows_per_user = 1;
    // The part of epsilon that is kept for shares, in [0, 0.9]; 0: there are
    // none.
    double shares = 0;
  };
  // A list and how many rows each of its rules catches, the "else" last.
  struct ListWithShares {
    DecisionList list;
    RuleShares shares;
  };

  // Fails where CoverCalibration or PerRoundTarget does, and with
  // kInvalidArgument unless the bonus is in (0, 1e6], the cap in [1, 1e15],
  // there are 1 to 100000 rules, and neither bonus nor cap is given without a
  // reward, or both.
  static Result<GreedyCover> Create(const Params& params, RuleSpace space);

  // Requires: `data` was built with the same space.
  DecisionList Fit(const CoverData& data, Rng& rng) const;
  // The simplified list, since shares are those of the rules that are left.
  // Requires: params().shares > 0.
  ListWithShares FitWithShares(const CoverData& data, Rng& rng) const;
  // The best rule each time instead of a drawn one: for comparison, not
  // private.
  DecisionList FitWithoutPrivacy(const CoverData& data) const;

  const RuleSpace& space() const { return space_; }
  const Params& params() const { return params_; }
  // Nats for one unit of score.
  const Rational& rate() const { return calibration_.rate(); }
  // Maximum that right rows add to a rule's log-weight, in nats, and the number
  // of right rows that count; 0 without a reward.
  double bonus() const;
  std::int64_t cap() const;
  // The scale of the noise on shares; 0 if there are none.
  double share_scale() const { return shares_ ? shares_->scale() : 0; }
  // How it draws, as model files and plans say it.
  Json parameters() const;
  // The promise, before any data is seen.
  const Guarantee& guarantee() const { return guarantee_; }

 private:
  GreedyCover(const Params& params, RuleSpace space,
              const CoverCalibration& calibration,
              ExponentialSelection selection, Guarantee guarantee,
              std::optional<SharesMechanism> shares)
      : params_(params),
        space_(std::move(space)),
        calibration_(calibration),
        selection_(std::move(selection)),
        guarantee_(std::move(guarantee)),
        shares_(std::move(shares)) {}

  template <typename Choose>
  DecisionList FitWith(const CoverData& data, const Choose& choose) const;

  Params params_;
  RuleSpace space_;
  CoverCalibration calibration_;
  ExponentialSelection selection_;
  Guarantee guarantee_;
  std::optional<SharesMechanism> shares_;
};

}  // namespace sotto
