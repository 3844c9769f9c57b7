#include "sotto/models/stumps/decision_stumps_predictor.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"
#include "sotto/mechanisms/boundaries/boundary_promise.h"
#include "sotto/mechanisms/selection/selection_params.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "stumps/1";
// Fraction of epsilon that the choice of the axis and the number of positives
// get each. Both lose tens of rows, the boundary set thousands.
constexpr double kSmallShare = 1.0 / 32;
constexpr double kFailure = 0.05;

BoundaryUser GetUser(const StumpsParams& params) {
  return {
      {params.epsilon, params.delta}, params.relation, params.rounds_per_user};
}

SelectionParams MakeChoiceParams(const StumpsParams& params, double epsilon) {
  return {.epsilon = DownMul(epsilon, kSmallShare),
          .sensitivity = 1,
          .candidates = 2 * std::size_t{params.features},
          .monotone = params.relation == Relation::kAddRemove};
}

// Rate of the noise on the number of positives.
Result<double> CountRate(double epsilon) {
  return SnapRate(DownMul(epsilon, kSmallShare));
}

// Steps 1 and 2 of the proof page spend two shares, and the samplers' slack.
Result<BoundaryTarget> MakeTarget(const StumpsParams& params) {
  if (params.features < 1 || params.features > StumpsParams::kMaxFeatures) {
    return InvalidArgument("there must be 1 to 65536 features");
  }
  SOTTO_TRY_ASSIGN(const auto one, OneRoundCost(GetUser(params)));
  SOTTO_TRY_ASSIGN(const auto choice,
                   SelectionGuarantee(MakeChoiceParams(params, one.epsilon)));
  const double left = DownMul(one.epsilon, 1 - 2 * kSmallShare);
  const double noise = BothWorldsSlack(
      one.epsilon, std::ldexp(1.0, -FixedWorkLaplace::TotalVariationLog2()));
  return BoundaryTarget{.epsilon = one.epsilon,
                        .delta = one.delta,
                        .training_epsilon = left,
                        .training_spent = UpAdd(choice.delta(), noise),
                        .relation = params.relation,
                        .sides = 1,
                        .error = params.error,
                        .honest_fraction = params.honest_fraction};
}

Result<Guarantee> ComputeGuarantee(const StumpsParams& params,
                                   const BoundaryPhases& phases) {
  const SelectionParams choice =
      MakeChoiceParams(params, phases.target.epsilon);
  SOTTO_TRY_ASSIGN(const auto chosen, SelectionGuarantee(choice));
  SOTTO_TRY_ASSIGN(const auto rate, CountRate(phases.target.epsilon));
  return BoundaryPromise(
      phases, GetUser(params),
      "a query's point, and a training row's point and label",
      {chosen.spend(),
       PurePart("number of positives", SamplerKind::kLaplace, rate, 1,
                DownAdd(phases.target.training_spent, -chosen.delta()))});
}

std::vector<BoundaryAxis> MakeAxes(const StumpAxis& axis) {
  return {{axis.feature, axis.down}};
}

}  // namespace

Result<StumpsTraining> StumpsTraining::Create(const StumpsParams& params) {
  SOTTO_TRY_ASSIGN(const auto target, MakeTarget(params));
  SOTTO_TRY_ASSIGN(auto phases, ChooseBoundaryPhases(target));
  const SelectionParams choice = MakeChoiceParams(params, target.epsilon);
  SOTTO_TRY_ASSIGN(auto choose,
                   Selection::Create({.epsilon = choice.epsilon,
                                      .sensitivity = choice.sensitivity,
                                      .candidates = choice.candidates,
                                      .monotone = choice.monotone}));
  SOTTO_TRY_ASSIGN(const auto rate, CountRate(target.epsilon));
  SOTTO_TRY_ASSIGN(auto noise, FixedWorkLaplace::Create(ExactRate(rate)));
  SOTTO_TRY_ASSIGN(auto promise, ComputeGuarantee(params, phases));
  StumpsTraining training(params, std::move(choose), std::move(noise),
                          std::move(phases), std::move(promise));
  training.noise_scale_ = 1 / rate;
  return training;
}

double StumpsTraining::RowsLost() const {
  // Rows that the axis gets wrong beyond the best, those that the number of
  // positives then misses, and its noise.
  return 2 * static_cast<double>(choose_.LossBound(kFailure / 2)) +
         noise_scale_ * std::log(2 / kFailure);
}

Result<StumpsPredictor> StumpsTraining::Finish(Rng& rng) && {
  SOTTO_TRY_ASSIGN(const auto chosen, choose_.Select(table_.Scores(), rng));
  const StumpAxis axis = StumpTable::MakeAxis(chosen);
  // Not cut to the number of rows: that is as private as they are.
  const std::int64_t inside =
      rng.Private("positives", table_.positives(), 1) + noise_.Sample(rng);
  const std::int64_t size = phases_.phases.front().initial.size;
  std::vector<BoundarySet> sets = {table_.Window(axis, inside, size)};
  table_ = StumpTable(1);
  SOTTO_TRY_ASSIGN(auto side,
                   BoundaryPredictor::Create(MakeAxes(axis), std::move(phases_),
                                             std::move(sets), rng));
  return StumpsPredictor(axis, std::move(side), std::move(guarantee_));
}

void StumpsPredictor::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Number(axis_.feature);
  writer.Number(static_cast<std::uint8_t>(axis_.down ? 1 : 0));
  side_.phases().Save(writer);
  side_.Save(writer);
}

Result<StumpsPredictor> StumpsPredictor::Load(const StumpsParams& params,
                                              ByteReader& reader) {
  SOTTO_TRY_ASSIGN(const auto target, MakeTarget(params));
  const bool tagged = reader.Text() == kTag;
  StumpAxis axis;
  axis.feature = reader.Number<std::uint32_t>();
  axis.down = reader.Number<std::uint8_t>() == 1;
  if (!tagged || axis.feature >= params.features) {
    return Corruption("the saved stump makes no sense");
  }
  SOTTO_TRY_ASSIGN(auto phases, BoundaryPhases::Load(target, reader));
  SOTTO_TRY_ASSIGN(auto promise, ComputeGuarantee(params, phases));
  SOTTO_TRY_ASSIGN(auto side, BoundaryPredictor::Load(
                                  MakeAxes(axis), std::move(phases), reader));
  return StumpsPredictor(axis, std::move(side), std::move(promise));
}

}  // namespace sotto
