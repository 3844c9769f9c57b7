#include "sotto/models/papers/dp_online_learner.h"

#include <algorithm>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/renyi.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"
#include "sotto/accounting/stopped_process.h"
#include "sotto/base/number_text.h"
#include "sotto/mechanisms/selection/selection_params.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"
#include "sotto/random/wide_uniform.h"

namespace sotto {
namespace {

using Params = DpOnlineLearner::Params;

TeacherLists::Params MakeListParams(const Params& params) {
  return {.functions = params.functions,
          .dimension = params.dimension,
          .list_size = params.list_size,
          .form = params.form};
}

SparseSample::Params MakeSampleParams(const Params& params) {
  return {.epsilon = 2 * params.sample_rate,
          .delta = params.sample_delta,
          .list_size = params.list_size,
          .max_lists = params.teachers,
          .relation = Relation::kReplace};
}

Status CheckNumbers(const Params& params) {
  constexpr std::uint64_t kMaxStages = 21;
  constexpr std::uint64_t kMaxDelay = std::uint64_t{1} << 20;
  if (params.teachers < 1)
    return InvalidArgument("teachers: expected 1 or more");
  if (params.stages < 1 || params.stages > kMaxStages) {
    return InvalidArgument("stages: expected 1 to 21");
  }
  if (params.calls < 1 || params.calls > DpOnlineLearner::kMaxCalls) {
    return InvalidArgument("changes: expected 1 to 2^16");
  }
  if (params.votes < 1 || params.votes > DpOnlineLearner::kMaxVotes) {
    return InvalidArgument("votes: expected 1 to 2^16");
  }
  if (!(params.tolerance >= 0) || params.tolerance >= 1) {
    return InvalidArgument("tolerance: expected a share, below 1");
  }
  if (params.limit < 1) return InvalidArgument("limit: expected 1 or more");
  if (params.period < 1) return InvalidArgument("period: expected 1 or more");
  if (params.delay > kMaxDelay) {
    return InvalidArgument("labels may be late by at most 2^20 rounds");
  }
  SOTTO_TRY(CheckDpOnlineSize(params));
  return TeacherLists::Check(MakeListParams(params), params.p);
}

std::vector<bool> MajorityOfAll(const FiniteClass& functions) {
  std::vector<bool> labels(functions.points());
  for (std::size_t x = 0; x < labels.size(); ++x) {
    labels[x] = 2 * CountMembers(functions.Ones(x)) > functions.size();
  }
  return labels;
}

// Parts that a mistake may enter into: dp_online_learner.md, steps 2 to 4.
Spend RoundCosts(const Params& params, const ApproximateDp& one) {
  return ComposeParts("mistake", one,
                      {PurePart("a test of mistakes", SamplerKind::kLaplace,
                                params.mistake_rate, 1),
                       PurePart("a test of agreement", SamplerKind::kLaplace,
                                params.agreement, 1),
                       PurePart("a draw of a function", SamplerKind::kSelection,
                                params.sample_rate, 2)});
}

}  // namespace

Result<Guarantee> DpOnlineGuarantee(const Params& params) {
  SOTTO_TRY_ASSIGN(const auto each,
                   PerRoundTarget(params.user, params.rounds_per_user));
  const ApproximateDp one{each.epsilon, DpOnlineDelta(params, each.epsilon)};
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

Status CheckDpOnlineSize(const Params& params) {
  const auto cells = static_cast<double>(params.teachers) *
                     static_cast<double>(params.list_size);
  if (cells < 0x1p24 && params.limit <= std::int64_t{1} << 30) return Ok();
  return InvalidArgument(
      "DP-OL would take " + WithCommas(params.teachers) + " teachers with " +
      WithCommas(params.list_size) + " hypotheses each and " +
      WithCommas(static_cast<std::uint64_t>(params.limit)) +
      " mistakes before each of " + WithCommas(params.calls) +
      " calls: more than is run; --calibration practical learns the class");
}

MultiAboveThreshold::Params DpOnlineLearner::MakeAgreementParams(
    const Params& params) {
  return {.epsilon = std::min(params.user.epsilon, kMaxThresholdEpsilon),
          .threshold = params.threshold + 1,
          .reports = static_cast<std::int64_t>(params.stages),
          .charge = Charge::kBelow,
          .rate = params.agreement};
}

MultiAboveThreshold::Params DpOnlineLearner::MakeMistakeParams(
    const Params& params) {
  return {.epsilon = std::min(params.user.epsilon, kMaxThresholdEpsilon),
          .threshold = params.limit + 1,
          .reports = static_cast<std::int64_t>(params.calls),
          .charge = Charge::kAbove,
          .rate = params.mistake_rate};
}

// One "above" of the test of mistakes, the belows of the agreement test, and
// the draws of all calls; each draw may give away a hypothesis that only one
// list has.
double DpOnlineDelta(const Params& params, double epsilon) {
  const auto draws =
      static_cast<double>(params.votes) * static_cast<double>(params.calls);
  const auto mistakes =
      StoppedProcessCurve({.rate = params.mistake_rate, .targets = 1});
  const auto agreement = StoppedProcessCurve(
      {.rate = params.agreement,
       .targets = static_cast<std::int64_t>(params.stages)});
  if (!mistakes || !agreement || !(params.sample_rate > 0)) return 1;
  const double rho =
      UpMul(draws, UpMul(params.sample_rate, params.sample_rate) / 2);
  const RenyiCurve curve =
      mistakes->ComposedWith(*agreement).ComposedWith(ConcentratedCurve(rho));
  const double given_away =
      BothWorldsSlack(epsilon, UpMul(draws, params.sample_delta));
  return UpAdd(DeltaFromRenyi(curve, epsilon),
               UpAdd(given_away, SamplerSlack(epsilon)));
}

Result<DpOnlineLearner> DpOnlineLearner::Create(Params params) {
  SOTTO_TRY(CheckNumbers(params));
  SOTTO_TRY_ASSIGN(auto mistakes,
                   MultiAboveThreshold::Create(MakeMistakeParams(params)));
  SOTTO_TRY_ASSIGN(auto agreement,
                   MultiAboveThreshold::Create(MakeAgreementParams(params)));
  SOTTO_TRY_ASSIGN(auto sample, SparseSample::Create(MakeSampleParams(params)));
  SOTTO_TRY_ASSIGN(auto guarantee, DpOnlineGuarantee(params));
  return DpOnlineLearner(std::move(params), std::move(guarantee),
                         std::move(mistakes), std::move(agreement),
                         std::move(sample));
}

DpOnlineLearner::DpOnlineLearner(Params params, Guarantee guarantee,
                                 MultiAboveThreshold mistake_test,
                                 MultiAboveThreshold agreement,
                                 SparseSample sample)
    : params_(std::move(params)),
      guarantee_(std::move(guarantee)),
      mistake_test_(std::move(mistake_test)),
      agreement_(std::move(agreement)),
      sample_(std::move(sample)),
      lists_(std::make_unique<TeacherLists>(MakeListParams(params_))),
      hypothesis_(MajorityOfAll(*params_.functions)),
      waiting_(params_.delay),
      handed_(params_.teachers) {}

DpOnlineLearner::Round DpOnlineLearner::Open(std::uint32_t point, Rng& rng) {
  Advance(rng);
  if (point >= hypothesis_.size()) return waiting_.OpenOutside();
  return waiting_.Open(changes_, point, hypothesis_[point]);
}

// Algorithm 3, lines 11 to 24, for the round before. The teacher of a possible
// mistake is drawn in every round, whatever happened.
void DpOnlineLearner::Advance(Rng& rng) {
  if (!begun_) {
    begun_ = true;
    JointTrain(rng);  // line 6, of no data yet
  }
  const bool tests = waiting_.clock() % params_.period == 0;
  const PendingRounds::Due due = waiting_.PlayEmptyRound(changes_);
  const auto teacher =
      static_cast<std::size_t>(WideUniformBelow(params_.teachers, rng));
  if (halted()) return;
  if (due.counts) mistakes_.push_back({due.point, !due.prediction, teacher});
  const auto count = static_cast<std::int64_t>(mistakes_.size());
  if (!tests || mistake_test_.Test(count, rng) != ThresholdAnswer::kAbove) {
    return;
  }
  HandOut();
  ++changes_;
  JointTrain(rng);
}

void DpOnlineLearner::HandOut() {
  for (auto& handed : handed_) handed.emplace_back();
  for (const Mistake& mistake : mistakes_) {
    handed_[mistake.teacher].back().emplace_back(mistake.point, mistake.label);
  }
  mistakes_.clear();
}

// Algorithm 4, DefineClass.
FiniteClass::Set DpOnlineLearner::DefineClass(std::size_t teacher) const {
  const std::uint64_t tolerance = StageTolerance(
      params_.tolerance, params_.dimension, kStageDivisor, stage_);
  FiniteClass::Set kept = params_.functions->All();
  for (const TeacherRows& rows : handed_[teacher]) {
    const auto good = KeptBy(*params_.functions, rows, tolerance);
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] &= good[i];
  }
  return kept;
}

std::vector<std::vector<SparseSample::Item>> DpOnlineLearner::MakeLists()
    const {
  std::vector<std::vector<SparseSample::Item>> lists;
  lists.reserve(handed_.size());
  const std::uint64_t p = std::min(params_.p << stage_, TeacherLists::kMaxP);
  for (std::size_t i = 0; i < handed_.size(); ++i) {
    lists.push_back(lists_->Of(DefineClass(i), p));
  }
  return lists;
}

// Algorithm 4. If no stage is left the hypothesis stays.
void DpOnlineLearner::JointTrain(Rng& rng) {
  for (; stage_ <= params_.stages; ++stage_) {
    auto lists = MakeLists();
    if (agreement_.Test(TopFrequency(lists), rng) ==
        MultiAboveThreshold::Answer::kAbove) {
      DrawMajority(std::move(lists), rng);
      return;
    }
  }
}

// The same noise draws the same function, after a load too: where a draw falls
// depends on the order of the items, and that of their numbers is not saved.
void DpOnlineLearner::DrawMajority(
    std::vector<std::vector<SparseSample::Item>> lists, Rng& rng) {
  const auto by_labels = lists_->RankByLabels(lists);
  drawn_.clear();
  const auto places = sample_.SampleMany(lists, params_.votes, rng);
  for (std::size_t v = 0; places && v < places->size(); ++v) {
    const auto& place = (*places)[v];
    if (place) drawn_.push_back(lists_->labels(by_labels[*place]));
  }
  Publish();
}

void DpOnlineLearner::Publish() {
  if (drawn_.empty()) hypothesis_ = MajorityOfAll(*params_.functions);
  for (std::size_t x = 0; x < hypothesis_.size() && !drawn_.empty(); ++x) {
    std::size_t ones = 0;
    for (const auto& labels : drawn_) ones += labels[x] ? 1U : 0U;
    hypothesis_[x] = 2 * ones > drawn_.size();
  }
}

}  // namespace sotto
