#include "sotto/models/everlasting/everlasting_schedule.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sotto/accounting/binomial_composition.h"
#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/pop_accountant.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"
#include "sotto/models/everlasting/everlasting_sizes.h"

namespace sotto {
namespace {

constexpr std::int64_t kMostTeachers = std::int64_t{1} << 30;
constexpr double kMostPeriod = 0x1p40;

// Cost to a record of the samplers' distance from the exact distributions: only
// draws of the two phases that it touches have different distributions in
// neighbouring streams (everlasting.md, step 8). A round has at most four.
double ComputeSlack(std::uint64_t rounds, double epsilon) {
  const double both_worlds = InflateUp(1 + std::exp(epsilon), 0x1p-50);
  const double draws = UpMul(4, static_cast<double>(rounds) + 1);
  return std::ldexp(UpMul(both_worlds, draws), -100);
}

Status CheckShape(const EverlastingShape& shape) {
  if (!(shape.rows >= 1 && shape.rows <= 0x1p30)) {
    return InvalidArgument("a teacher needs 1 to 2^30 rows");
  }
  if (!(shape.honest > 0 && shape.honest <= 1)) {
    return InvalidArgument("the honest fraction must be in (0, 1]");
  }
  if (!(shape.complexity > 0 && shape.complexity <= 1e12)) {
    return InvalidArgument("the complexity must be in (0, 1e12]");
  }
  if (!(shape.gap > 0 && shape.gap <= 64)) {
    return InvalidArgument("the band must have 0 to 64 noise scales");
  }
  if (!(shape.growth >= 1 && shape.growth <= 16)) {
    return InvalidArgument("phases grow by a factor of 1 to 16");
  }
  if (shape.teachers < 0 || shape.teachers > kMostTeachers ||
      shape.reports < 0 || shape.reports > kMaxReports ||
      shape.rounds > EverlastingSchedule::kMostRounds) {
    return InvalidArgument("teachers, reports or rounds are out of range");
  }
  return Ok();
}

Status CheckParams(const EverlastingSchedule::Params& params) {
  if (!(params.epsilon > 0 && params.epsilon <= kMaxThresholdEpsilon)) {
    return InvalidArgument("epsilon must be in (0, 16]");
  }
  if (!(params.delta > 0 && params.delta <= 0.5)) {
    return InvalidArgument("delta must be in (0, 0.5]");
  }
  if (params.rounds_per_user < 1 || params.rounds_per_user > 1024) {
    return InvalidArgument("rounds per user must be in [1, 1024]");
  }
  if (params.shape.paid && params.stopper != 0) {
    return InvalidArgument("where every round is paid there is no Stopper");
  }
  if (!params.shape.paid &&
      !(params.stopper >= 0x1p-20 && params.stopper <= params.epsilon)) {
    return InvalidArgument("the Stopper's epsilon must be in [2^-20, epsilon]");
  }
  if (params.relation == Relation::kChangeByOne) {
    return InvalidArgument("the relation must be replace or add-remove");
  }
  if (params.period < 1 || static_cast<double>(params.period) > kMostPeriod) {
    return InvalidArgument("the first period has 1 to 2^40 rounds");
  }
  return CheckShape(params.shape);
}

// A user may put what one round answered into the next one, so g replaced
// rounds count as 2g - 1 (group_privacy.md, step 3).
std::uint64_t GroupSize(const EverlastingSchedule::Params& params) {
  return 2 * params.rounds_per_user - 1;
}

// delta(i) of one round, so that what a user pays sums up to `user` at most.
Result<DeltaSchedule> SpreadOver(const EverlastingSchedule::Params& params,
                                 double factor) {
  double total = params.delta / factor;
  for (int i = 0; i < 64; ++i) {
    auto one = DeltaSchedule::Phases(total, {params.period});
    if (!one) return one.error();
    SOTTO_TRY_ASSIGN(const auto user, one->ScaledBy(factor));
    // About half of the total is ever used; then a little less than all.
    const double sum = user.Sum();
    if (i > 0 && sum <= params.delta) return one;
    total = DownMul(total * (params.delta / sum), 1 - 0x1p-40);
  }
  return NotConverged("no schedule of delta sums up to it");
}

// A record is in the teachers of one phase, whose noise is chosen when it
// begins; delta is that of the first.
Spend RecordCosts(const EverlastingSchedule::Params& params,
                  const ApproximateDp& one) {
  std::vector<Spend> parts = {
      MakePart("votes", {},
               SpentNoise{.kind = SamplerKind::kLaplace, .sensitivity = 1})};
  if (!params.shape.paid) {
    parts.push_back(
        PurePart("stopper", SamplerKind::kGeometric, params.stopper, 1));
  }
  return ForSteps(ComposeParts("record", one, std::move(parts)),
                  GroupSize(params));
}

Result<Guarantee> ComputeGuarantee(const EverlastingSchedule::Params& params,
                                   const ApproximateDp& one,
                                   std::optional<DeltaSchedule> user) {
  const bool spread = user.has_value();
  return MakeGuarantee(
      {.notion = spread ? Notion::kEverlasting : Notion::kChallengeDp,
       .relation = params.relation,
       .schedule = std::move(user),
       .rounds_per_user = params.rounds_per_user,
       .protects = "a user's features, and each labelled row it started from",
       .in_rounds = true,
       .spend = RecordCosts(params, one)},
      {params.epsilon, params.delta});
}

}  // namespace

Result<EverlastingSchedule> EverlastingSchedule::Create(const Params& params) {
  SOTTO_TRY(CheckParams(params));
  Params snapped = params;
  if (!params.shape.paid) {
    SOTTO_TRY_ASSIGN(const auto stopper, SnapRate(params.stopper));
    snapped.stopper = stopper;
  }
  const std::uint64_t size = GroupSize(params);
  SOTTO_TRY_ASSIGN(const auto each,
                   PerRoundTarget({params.epsilon, params.delta}, size));
  std::vector<DeltaSchedule> one;
  std::optional<DeltaSchedule> user;
  if (params.spread == DeltaSpread::kEverlasting) {
    const double factor = GroupFactor(each.epsilon, size);
    SOTTO_TRY_ASSIGN(auto spread, SpreadOver(params, factor));
    SOTTO_TRY_ASSIGN(auto scaled, spread.ScaledBy(factor));
    one.push_back(std::move(spread));
    user = std::move(scaled);
  }
  const ApproximateDp first{each.epsilon,
                            one.empty() ? each.delta : one.front().At(0)};
  SOTTO_TRY_ASSIGN(auto guarantee,
                   ComputeGuarantee(snapped, first, std::move(user)));
  EverlastingSchedule schedule(snapped, each, std::move(guarantee));
  schedule.one_ = std::move(one);
  return schedule;
}

// Rounds are counted from 1, so starts_[p] is the last round that the teachers
// of phase p can have learned from; round 0 is the training set.
double EverlastingSchedule::ComputeDelta(std::uint64_t phase) const {
  return one_.empty() ? each_.delta : one_.front().At(starts_[phase]);
}

Result<EverlastingPhase> EverlastingSchedule::Make(std::uint64_t phase) const {
  const EverlastingPhase* before = phase == 0 ? nullptr : &phases_[phase - 1];
  return SizePhase(
      {.epsilon = each_.epsilon,
       .delta = ComputeDelta(phase),
       .relation = params_.relation,
       .stopper = params_.stopper,
       .before = before == nullptr ? 0 : before->rounds,
       .teachers = before == nullptr ? 0 : before->teachers,
       .shape = params_.shape,
       .rows = params_.shape.rows *
               std::pow(params_.shape.growth, static_cast<double>(phase))});
}

// Whatever chose the numbers.
Status EverlastingSchedule::Check(const EverlastingPhase& phase) const {
  const std::string name = "phase " + std::to_string(phases_.size() + 1);
  const bool sized = phase.paid() || (phase.gap >= 1 && phase.reports >= 1);
  if (!sized || phase.paid() != params_.shape.paid || phase.teachers < 1 ||
      phase.teachers > kMostTeachers || phase.gap > kMostTeachers ||
      phase.rounds < 1 || phase.rounds > kMostRounds ||
      phase.reports > kMaxReports) {
    return NotConverged(name + " would be too large");
  }
  const auto exact = SnapRate(phase.rate);
  const std::uint64_t before = phases_.empty() ? 0 : phases_.back().rounds;
  const double allowed = ComputeDelta(phases_.size());
  const double delta =
      EverlastingDelta(phase, std::max(phase.rounds, before), params_.stopper,
                       each_.epsilon, params_.relation);
  if (!exact || *exact != phase.rate || !(delta <= allowed)) {
    return BudgetExhausted(name + " does not meet its delta of " +
                           TextUp(allowed));
  }
  // It may be the last: then its own rounds still pay for the samplers.
  const double own = one_.empty()
                         ? each_.delta
                         : one_.front().At(starts_.back() + phase.rounds);
  if (!(ComputeSlack(phase.rounds, each_.epsilon) <= own)) {
    return BudgetExhausted(name + " would be too long for its delta of " +
                           TextUp(own));
  }
  return Ok();
}

void EverlastingSchedule::Add(const EverlastingPhase& phase) {
  starts_.push_back(starts_.back() + phase.rounds);
  phases_.push_back(phase);
}

Result<EverlastingPhase> EverlastingSchedule::At(std::uint64_t phase) {
  while (phases_.size() <= phase) {
    SOTTO_TRY_ASSIGN(const auto made, Make(phases_.size()));
    SOTTO_TRY(Check(made));
    Add(made);
  }
  return phases_[phase];
}

EverlastingBand ComputeBand(const EverlastingPhase& phase) {
  const std::int64_t twice_low = phase.teachers - phase.gap - 1;
  const std::int64_t low = (twice_low - (twice_low & 1)) / 2;
  return {low, low + phase.gap + 1};
}

double EverlastingDelta(const EverlastingPhase& phase, std::uint64_t longest,
                        double stopper, double epsilon, Relation relation) {
  const double slack = ComputeSlack(2 * longest, epsilon);
  if (phase.paid()) {
    const auto votes = BinomialDelta(phase.rate, phase.rounds, epsilon);
    return votes ? std::min(1.0, UpAdd(*votes, slack)) : 1;
  }
  const PopProcess process{.rate = phase.rate,
                           .gap = phase.gap,
                           .targets = phase.reports,
                           .stopper = stopper};
  const bool replaced = relation == Relation::kReplace;
  if (!replaced && stopper > epsilon) return 1;
  // Form B at epsilon + e_s is what the votes alone cost at epsilon (step 6).
  const auto cost =
      PopDelta(process, replaced ? epsilon : DownAdd(epsilon, stopper));
  if (!cost) return 1;
  const double delta = replaced ? cost->delta : cost->form_b;
  return std::min(1.0, UpAdd(delta, slack));
}

}  // namespace sotto
