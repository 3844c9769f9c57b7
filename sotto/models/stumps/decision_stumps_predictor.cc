#include "sotto/models/stumps/decision_stumps_predictor.h"

#include <algorithm>
#include <cmath>
#include <utility>
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
constexpr double kPrintedShare = 1.0 / 4;
constexpr double kFailure = 0.05;

double Share(const StumpsParams& params) {
  return params.paper && params.paper->printed ? kPrintedShare : kSmallShare;
}

BoundaryUser GetUser(const StumpsParams& params) {
  return {
      {params.epsilon, params.delta}, params.relation, params.rounds_per_user};
}

SelectionParams MakeChoiceParams(const StumpsParams& params, double epsilon) {
  return {.epsilon = DownMul(epsilon, Share(params)),
          .sensitivity = 1,
          .candidates = 2 * std::size_t{params.features},
          .monotone = params.relation == Relation::kAddRemove};
}

// Rate of the noise on the number of positives.
Result<double> CountRate(const StumpsParams& params, double epsilon) {
  return SnapRate(DownMul(epsilon, Share(params)));
}

// Steps 1 and 2 of the proof page spend two shares, and the samplers' slack.
Result<BoundaryTarget> MakeTarget(const StumpsParams& params) {
  if (params.features < 1 || params.features > StumpsParams::kMaxFeatures) {
    return InvalidArgument("there must be 1 to 65536 features");
  }
  SOTTO_TRY_ASSIGN(const auto one, OneRoundCost(GetUser(params)));
  SOTTO_TRY_ASSIGN(const auto choice,
                   SelectionGuarantee(MakeChoiceParams(params, one.epsilon)));
  const double left = DownMul(one.epsilon, 1 - 2 * Share(params));
  const double noise = BothWorldsSlack(
      one.epsilon, std::ldexp(1.0, -FixedWorkLaplace::TotalVariationLog2()));
  return BoundaryTarget{.epsilon = one.epsilon,
                        .delta = one.delta,
                        .training_epsilon = left,
                        .training_spent = UpAdd(choice.delta(), noise),
                        .relation = params.relation,
                        .sides = params.paper ? 2U : 1U,
                        .error = params.paper ? params.error / 2 : params.error,
                        .honest_fraction = params.honest_fraction};
}

Result<BoundaryPhases> ChoosePhases(const StumpsParams& params) {
  if (params.paper) {
    SOTTO_TRY_ASSIGN(const auto lines, MakeDecisionPerp(params, *params.paper));
    SOTTO_TRY_ASSIGN(auto phases,
                     ChooseSlicedPhases(lines.target, lines.numbers));
    SOTTO_TRY(SlicedPredictor::Check(phases));
    return phases;
  }
  SOTTO_TRY_ASSIGN(const auto target, MakeTarget(params));
  return ChooseBoundaryPhases(target);
}

Result<Guarantee> ComputeGuarantee(const StumpsParams& params,
                                   const BoundaryPhases& phases) {
  const SelectionParams choice =
      MakeChoiceParams(params, phases.target.epsilon);
  SOTTO_TRY_ASSIGN(const auto chosen, SelectionGuarantee(choice));
  SOTTO_TRY_ASSIGN(const auto rate, CountRate(params, phases.target.epsilon));
  std::vector<Spend> before = {
      chosen.spend(),
      PurePart("number of positives", SamplerKind::kLaplace, rate, 1,
               DownAdd(phases.target.training_spent, -chosen.delta()))};
  if (params.paper) {
    return SlicedPromise(phases, GetUser(params), std::move(before));
  }
  return BoundaryPromise(
      phases, GetUser(params),
      "a query's point, and a training row's point and label",
      std::move(before));
}

std::vector<BoundaryAxis> MakeAxes(const StumpAxis& axis) {
  return {{axis.feature, axis.down}};
}

}  // namespace

Result<DecisionPerp> MakeDecisionPerp(const StumpsParams& params,
                                      const SlicedNumbers& numbers) {
  StumpsParams lines = params;
  lines.paper = numbers;
  SOTTO_TRY_ASSIGN(const auto target, MakeTarget(lines));
  SlicedNumbers used = numbers;
  used.failure = kFailure / 2;
  used.formula_epsilon = kPrintedShare * target.epsilon;
  used.formula_delta = target.delta / (1 + std::exp(used.formula_epsilon));
  return DecisionPerp{target, used};
}

Result<StumpsTraining> StumpsTraining::Create(const StumpsParams& params) {
  SOTTO_TRY_ASSIGN(auto phases, ChoosePhases(params));
  const BoundaryTarget& target = phases.target;
  const SelectionParams choice = MakeChoiceParams(params, target.epsilon);
  SOTTO_TRY_ASSIGN(auto choose, Selection::Create(
                                    {.epsilon = choice.epsilon,
                                     .sensitivity = choice.sensitivity,
                                     .candidates = choice.candidates,
                                     .monotone = choice.monotone,
                                     .exponential = params.paper.has_value()}));
  SOTTO_TRY_ASSIGN(const auto rate, CountRate(params, target.epsilon));
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
  SOTTO_TRY_ASSIGN(auto side, MakeSide(axis, inside, rng));
  return StumpsPredictor(axis, std::move(side), std::move(guarantee_));
}

Result<AnyBoundaryPredictor> StumpsTraining::MakeSide(const StumpAxis& axis,
                                                      std::int64_t inside,
                                                      Rng& rng) {
  const StumpTable table = std::exchange(table_, StumpTable(1));
  if (paper_) {
    OutermostPoints points = SlicedPredictor::MakePoints(phases_, 0);
    for (const double value : table.First(axis, inside)) points.Add({value});
    SOTTO_TRY_ASSIGN(auto sides,
                     SlicedPredictor::Create({axis.feature}, std::move(phases_),
                                             std::move(points), rng));
    return AnyBoundaryPredictor(std::move(sides));
  }
  const std::int64_t size = phases_.phases.front().initial.size;
  std::vector<BoundarySet> sets = {table.Window(axis, inside, size)};
  SOTTO_TRY_ASSIGN(auto side,
                   BoundaryPredictor::Create(MakeAxes(axis), std::move(phases_),
                                             std::move(sets), rng));
  return AnyBoundaryPredictor(std::move(side));
}

void StumpsPredictor::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Number(axis_.feature);
  writer.Number(static_cast<std::uint8_t>(axis_.down ? 1 : 0));
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
  const bool paper = params.paper.has_value();
  SOTTO_TRY_ASSIGN(auto phases,
                   AnyBoundaryPredictor::LoadPhases(target, paper, reader));
  SOTTO_TRY_ASSIGN(auto promise, ComputeGuarantee(params, phases));
  SOTTO_TRY_ASSIGN(
      auto side, AnyBoundaryPredictor::Load(MakeAxes(axis), {axis.feature},
                                            std::move(phases), paper, reader));
  return StumpsPredictor(axis, std::move(side), std::move(promise));
}

}  // namespace sotto
