#include "sotto/models/rectangles/rectangles_predictor.h"

#include <numeric>

#include "sotto/mechanisms/boundaries/boundary_promise.h"

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

std::vector<std::uint32_t> AllFeatures(std::uint32_t dimensions) {
  std::vector<std::uint32_t> features(dimensions);
  std::iota(features.begin(), features.end(), 0U);
  return features;
}

}  // namespace

Result<BoundaryPhases> RectanglesPhases(const RectanglesParams& params) {
  SOTTO_TRY_ASSIGN(const auto target, MakeTarget(params));
  return params.paper ? ChooseSlicedPhases(target, *params.paper)
                      : ChooseBoundaryPhases(target);
}

Result<Guarantee> RectanglesPromise(const RectanglesParams& params,
                                    const BoundaryPhases& phases) {
  if (params.paper) return SlicedPromise(phases, GetUser(params));
  return BoundaryPromise(phases, GetUser(params),
                         "a query's point, and a training row's point and "
                         "label");
}

RectanglesTraining::RectanglesTraining(const RectanglesParams& params,
                                       BoundaryPhases phases,
                                       Guarantee guarantee)
    : axes_(MakeAxes(params.dimensions)),
      phases_(std::move(phases)),
      guarantee_(std::move(guarantee)) {
  if (params.paper) {
    points_ = SlicedPredictor::MakePoints(phases_, 0);
  } else {
    sets_.assign(axes_.size(),
                 BoundarySet(phases_.phases.front().initial.size));
  }
}

Result<RectanglesTraining> RectanglesTraining::Create(
    const RectanglesParams& params) {
  SOTTO_TRY_ASSIGN(auto phases, RectanglesPhases(params));
  if (params.paper) SOTTO_TRY(SlicedPredictor::Check(phases));
  SOTTO_TRY_ASSIGN(auto promise, RectanglesPromise(params, phases));
  return RectanglesTraining(params, std::move(phases), std::move(promise));
}

void RectanglesTraining::Add(FeatureView x, bool positive) {
  if (!positive) return;
  if (points_) {
    SlicedPoint point(axes_.size() / 2);
    for (std::uint32_t j = 0; j < point.size(); ++j) point[j] = ValueAt(x, j);
    points_->Add(std::move(point));
    return;
  }
  for (std::size_t s = 0; s < axes_.size(); ++s) {
    sets_[s].Add(axes_[s].At(x));
  }
}

Result<RectanglesPredictor> RectanglesTraining::Finish(Rng& rng) && {
  if (points_) {
    SOTTO_TRY_ASSIGN(
        auto sides,
        SlicedPredictor::Create(
            AllFeatures(static_cast<std::uint32_t>(axes_.size() / 2)),
            std::move(phases_), *std::move(points_), rng));
    return RectanglesPredictor(std::move(sides), std::move(guarantee_));
  }
  for (BoundarySet& set : sets_) set.Settle();
  SOTTO_TRY_ASSIGN(auto sides, BoundaryPredictor::Create(
                                   std::move(axes_), std::move(phases_),
                                   std::move(sets_), rng));
  return RectanglesPredictor(std::move(sides), std::move(guarantee_));
}

Result<RectanglesPredictor> RectanglesPredictor::Load(
    const RectanglesParams& params, ByteReader& reader) {
  const bool paper = params.paper.has_value();
  SOTTO_TRY_ASSIGN(const auto target, MakeTarget(params));
  SOTTO_TRY_ASSIGN(auto phases,
                   AnyBoundaryPredictor::LoadPhases(target, paper, reader));
  SOTTO_TRY_ASSIGN(auto promise, RectanglesPromise(params, phases));
  SOTTO_TRY_ASSIGN(
      auto sides, AnyBoundaryPredictor::Load(MakeAxes(params.dimensions),
                                             AllFeatures(params.dimensions),
                                             std::move(phases), paper, reader));
  return RectanglesPredictor(std::move(sides), std::move(promise));
}

}  // namespace sotto
