#include "sotto/models/littlestone/finite_class_learner.h"

#include <algorithm>
#include <string>

#include "sotto/accounting/composition.h"
#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/renyi.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"
#include "sotto/models/fits/fit_replay.h"
#include "sotto/random/noise_observer.h"
#include "sotto/random/wide_uniform.h"

namespace sotto {
namespace {

Status CheckRanges(const FiniteClassLearner::Params& params) {
  using Learner = FiniteClassLearner;
  if (!params.functions || params.functions->size() > Learner::kMaxSize) {
    return InvalidArgument("the class has at most 2^20 functions");
  }
  if (params.votes % 2 == 0 || params.votes > Learner::kMaxVotes) {
    return InvalidArgument("votes: expected an odd number, at most 255");
  }
  if (params.weights.empty() || params.weights.size() > Learner::kMaxFirings) {
    return InvalidArgument("changes: expected 1 to 4096");
  }
  if (params.delay > Learner::kMaxDelay) {
    return InvalidArgument("labels may be late by at most 2^20 rounds");
  }
  if (params.period < 1) return InvalidArgument("period: expected 1 or more");
  if (params.limit < 1 || params.limit > std::int64_t{1} << 30) {
    return InvalidArgument("limit: expected 1 to 2^30 mistakes");
  }
  return Ok();
}

// Guarantee of a user, if each round of the user costs at most its share.
// A mistake is in one window of the test, and in the draws of every later
// change; the accountant composes them.
Spend RoundCosts(const FiniteClassLearner::Params& params,
                 const ApproximateDp& one) {
  const double moved = params.relation == Relation::kReplace ? 2 : 1;
  const double heaviest = static_cast<double>(
      params.weights.empty() ? 0 : *std::ranges::max_element(params.weights));
  return ComposeParts(
      "mistake", one,
      {PurePart("test of mistakes", SamplerKind::kSelection, params.stopper, 1),
       PurePart("a draw of a function", SamplerKind::kSelection,
                params.rate.ToDoubleUp(), moved * heaviest)});
}

Result<Guarantee> ComputeGuarantee(const FiniteClassLearner::Params& params) {
  SOTTO_TRY_ASSIGN(const auto each,
                   PerRoundTarget(params.user, params.rounds_per_user));
  const ApproximateDp one{each.epsilon, FiniteClassDelta(params, each.epsilon)};
  if (!(one.delta <= each.delta)) {
    return BudgetExhausted("these parameters cost more than epsilon and delta");
  }
  return MakeGuarantee(
      {.notion = Notion::kDp,
       .relation = params.relation,
       .adversary = Adversary::kAdaptive,
       .rounds_per_user = params.rounds_per_user,
       .protects = "features, labels and the times of labels",
       .in_rounds = true,
       .spend = ForSteps(RoundCosts(params, one), params.rounds_per_user)},
      params.user);
}

// Majority vote of all functions, for every point.
std::vector<bool> MajorityOfAll(const FiniteClass& functions) {
  std::vector<bool> labels(functions.points());
  for (std::size_t x = 0; x < labels.size(); ++x) {
    labels[x] = 2 * CountMembers(functions.Ones(x)) > functions.size();
  }
  return labels;
}

}  // namespace

// A mistake before change a is in the draws of changes a, a + 1, ...: each has
// bounded range (sensitivity weight rate), so range^2 / 8-zCDP.
double FiniteClassDelta(const FiniteClassLearner::Params& params,
                        double epsilon) {
  const double moved = params.relation == Relation::kReplace ? 2 : 1;
  const double rate = UpMul(moved, params.rate.ToDoubleUp());
  double most = 0;
  const std::size_t changes = params.weights.size();
  for (std::size_t a = 0; a < changes; ++a) {
    const double range = UpMul(rate, params.weights[a]);
    const auto draws = static_cast<double>(params.votes * (changes - a));
    most = std::max(most, UpMul(draws, UpMul(range, range) / 8));
  }
  const RenyiCurve stopper = PureCurve(params.stopper);
  if (most == 0) return DeltaFromRenyi(stopper, epsilon);
  return DeltaFromRenyi(stopper.ComposedWith(ConcentratedCurve(most)), epsilon);
}

Result<FiniteClassLearner> FiniteClassLearner::Create(Params params) {
  SOTTO_TRY(CheckRanges(params));
  SOTTO_TRY_ASSIGN(auto stopper, ExactStopper::Create(params.stopper));
  SOTTO_TRY_ASSIGN(auto weights, LossWeights::Create(params.rate, kBits));
  SOTTO_TRY_ASSIGN(auto guarantee, ComputeGuarantee(params));
  return FiniteClassLearner(std::move(params), std::move(guarantee),
                            std::move(stopper), std::move(weights));
}

FiniteClassLearner::FiniteClassLearner(Params params, Guarantee guarantee,
                                       ExactStopper stopper,
                                       LossWeights weights)
    : params_(std::move(params)),
      guarantee_(std::move(guarantee)),
      stopper_(std::move(stopper)),
      weights_(std::move(weights)),
      hypothesis_(MajorityOfAll(*params_.functions)),
      waiting_(params_.delay),
      wrong_(params_.functions->points()),
      losses_(params_.functions->size()) {}

// Steps 1 and 2 are PendingRounds'.
void FiniteClassLearner::Advance(Rng& rng) {
  if (!begun_) stopper_.Begin(rng);
  begun_ = true;
  const bool tests = waiting_.clock() % params_.period == 0;
  const PendingRounds::Due due = waiting_.PlayEmptyRound(changes_);
  mistakes_ += due.counts ? 1 : 0;
  wrong_[due.point] += due.counts ? 1U : 0U;
  if (tests && changes_ < params_.weights.size() &&
      stopper_.Check(mistakes_ - params_.limit, rng)) {
    Change(rng);
  }
}

void FiniteClassLearner::Change(Rng& rng) {
  const std::uint64_t weight = params_.weights[changes_];
  for (std::size_t x = 0; x < wrong_.size(); ++x) {
    const FiniteClass::Set& ones = params_.functions->Ones(x);
    const std::uint64_t lost = weight * wrong_[x];
    for (std::size_t h = 0; h < losses_.size(); ++h) {
      const bool label = (ones[h / 64] >> (h % 64) & 1) != 0;
      losses_[h] += label == hypothesis_[x] ? lost : 0;
    }
    wrong_[x] = 0;
  }
  mistakes_ = 0;
  drawn_.clear();
  for (std::uint64_t v = 0; v < params_.votes; ++v) drawn_.push_back(Draw(rng));
  Publish();
  ++changes_;
  stopper_.Begin(rng);
}

// In proportion to the weights, exactly.
std::size_t FiniteClassLearner::Draw(Rng& rng) const {
  ReportSelection(rng, weights_, losses_.size());
  const std::uint64_t least = *std::ranges::min_element(losses_);
  Uint128 total = 0;
  for (const std::uint64_t loss : losses_) total += weights_(loss - least);
  const Uint128 target = WideUniformBelow(total, rng);
  Uint128 sum = 0;
  std::size_t index = 0;
  for (const std::uint64_t loss : losses_) {
    sum += weights_(loss - least);
    index += static_cast<std::size_t>(sum <= target);
  }
  return SameChoice(index, rng);
}

void FiniteClassLearner::Publish() {
  for (std::size_t x = 0; x < hypothesis_.size(); ++x) {
    std::size_t ones = 0;
    for (const std::size_t h : drawn_) {
      ones += params_.functions->Label(h, x) ? 1U : 0U;
    }
    hypothesis_[x] = 2 * ones > drawn_.size();
  }
}

void FiniteClassLearner::PlayEmptyRound(Rng& rng) { Advance(rng); }

FiniteClassLearner::Round FiniteClassLearner::Open(std::uint32_t point,
                                                   Rng& rng) {
  Advance(rng);
  if (point >= hypothesis_.size()) return waiting_.OpenOutside();
  return waiting_.Open(changes_, point, hypothesis_[point]);
}

void FiniteClassLearner::Close(const Round& round, bool y) {
  waiting_.Close(round, y);
}

}  // namespace sotto
