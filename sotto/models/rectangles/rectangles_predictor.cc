#include "sotto/models/rectangles/rectangles_predictor.h"

#include "sotto/mechanisms/boundaries/boundary_promise.h"
#include "sotto/models/papers/rectangles_paper.h"

namespace sotto {
namespace {

std::vector<BoundaryAxis> MakeAxes(std::uint32_t dimensions) {
  std::vector<BoundaryAxis> axes;
  for (std::uint32_t j = 0; j < dimensions; ++j) {
    axes.push_back({j, false});
    axes.push_back({j, true});
  }
  return axes;
}

BoundaryUser GetUser(const RectanglesParams& params) {
  return {
      {params.epsilon, params.delta}, params.relation, params.rounds_per_user};
}

Result<BoundaryTarget> MakeTarget(const RectanglesParams& params) {
  if (params.dimensions < 1 ||
      params.dimensions > RectanglesParams::kMaxDimensions) {
    return InvalidArgument("a box has 1 to 256 dimensions");
  }
  SOTTO_TRY_ASSIGN(const auto one, OneRoundCost(GetUser(params)));
  return BoundaryTarget{.epsilon = one.epsilon,
                        .delta = one.delta,
                        .relation = params.relation,
                        .sides = 2 * params.dimensions,
                        .error = params.error,
                        .honest_fraction = params.honest_fraction};
}

Result<Guarantee> ComputeGuarantee(const RectanglesParams& params,
                                   const BoundaryPhases& phases) {
  return BoundaryPromise(phases, GetUser(params),
                         "a query's point, and a training row's point and "
                         "label");
}

}  // namespace

RectanglesTraining::RectanglesTraining(std::vector<BoundaryAxis> axes,
                                       BoundaryPhases phases,
                                       Guarantee guarantee)
    : axes_(std::move(axes)),
      phases_(std::move(phases)),
      guarantee_(std::move(guarantee)),
      sets_(axes_.size(), BoundarySet(phases_.phases.front().initial.size)) {}

Result<RectanglesTraining> RectanglesTraining::Create(
    const RectanglesParams& params) {
  SOTTO_TRY_ASSIGN(const auto target, MakeTarget(params));
  SOTTO_TRY_ASSIGN(auto phases, params.paper ? PaperPhases(target)
                                             : ChooseBoundaryPhases(target));
  SOTTO_TRY_ASSIGN(auto promise, ComputeGuarantee(params, phases));
  return RectanglesTraining(MakeAxes(params.dimensions), std::move(phases),
                            std::move(promise));
}

void RectanglesTraining::Add(FeatureView x, bool positive) {
  if (!positive) return;
  for (std::size_t s = 0; s < axes_.size(); ++s) {
    sets_[s].Add(axes_[s].At(x));
  }
}

Result<RectanglesPredictor> RectanglesTraining::Finish(Rng& rng) && {
  for (BoundarySet& set : sets_) set.Settle();
  SOTTO_TRY_ASSIGN(auto sides, BoundaryPredictor::Create(
                                   std::move(axes_), std::move(phases_),
                                   std::move(sets_), rng));
  return RectanglesPredictor(std::move(sides), std::move(guarantee_));
}

void RectanglesPredictor::Save(ByteWriter& writer) const {
  sides_.phases().Save(writer);
  sides_.Save(writer);
}

Result<RectanglesPredictor> RectanglesPredictor::Load(
    const RectanglesParams& params, ByteReader& reader) {
  SOTTO_TRY_ASSIGN(const auto target, MakeTarget(params));
  SOTTO_TRY_ASSIGN(auto phases, BoundaryPhases::Load(target, reader));
  SOTTO_TRY_ASSIGN(auto promise, ComputeGuarantee(params, phases));
  SOTTO_TRY_ASSIGN(auto sides,
                   BoundaryPredictor::Load(MakeAxes(params.dimensions),
                                           std::move(phases), reader));
  return RectanglesPredictor(std::move(sides), std::move(promise));
}

}  // namespace sotto
