#include "sotto/models/rectangles/rectangles_predictor.h"

#include "sotto/boundaries/boundary_promise.h"
#include "sotto/models/rectangles/rectangles_paper.h"

namespace sotto {
namespace {

std::vector<BoundaryAxis> AxesOf(std::uint32_t dimensions) {
  std::vector<BoundaryAxis> axes;
  for (std::uint32_t j = 0; j < dimensions; ++j) {
    axes.push_back({j, false});
    axes.push_back({j, true});
  }
  return axes;
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
  if (params.dimensions < 1 ||
      params.dimensions > RectanglesParams::kMaxDimensions) {
    return InvalidArgument("a box has 1 to 256 dimensions");
  }
  const BoundaryUser user{
      {params.epsilon, params.delta}, params.relation, params.rounds_per_user};
  const auto one = OneRoundOf(user);
  if (!one) return one.error();
  const BoundaryTarget target{.epsilon = one->epsilon,
                              .delta = one->delta,
                              .relation = params.relation,
                              .sides = 2 * params.dimensions,
                              .error = params.error,
                              .honest_fraction = params.honest_fraction};
  auto phases =
      params.paper ? PaperPhases(target) : ChooseBoundaryPhases(target);
  if (!phases) return phases.error();
  auto promise = BoundaryPromise(
      *phases, user, "a query's point, and a training row's point and label");
  if (!promise) return promise.error();
  return RectanglesTraining(AxesOf(params.dimensions), *std::move(phases),
                            *std::move(promise));
}

void RectanglesTraining::Add(FeatureView x, bool positive) {
  if (!positive) return;
  for (std::size_t s = 0; s < axes_.size(); ++s) {
    sets_[s].Add(axes_[s].At(x));
  }
}

Result<RectanglesPredictor> RectanglesTraining::Finish(Rng& rng) && {
  for (BoundarySet& set : sets_) set.Settle();
  auto sides = BoundaryPredictor::Create(std::move(axes_), std::move(phases_),
                                         std::move(sets_), rng);
  if (!sides) return sides.error();
  return RectanglesPredictor(*std::move(sides), std::move(guarantee_));
}

Result<RectanglesPredictor> RectanglesPredictor::Load(
    const RectanglesParams& params, ByteReader& reader) {
  auto made = RectanglesTraining::Create(params);
  if (!made) return made.error();
  auto sides = BoundaryPredictor::Load(std::move(made->axes_),
                                       std::move(made->phases_), reader);
  if (!sides) return sides.error();
  return RectanglesPredictor(*std::move(sides), std::move(made->guarantee_));
}

}  // namespace sotto
