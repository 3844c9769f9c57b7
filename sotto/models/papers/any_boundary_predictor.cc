#include "sotto/models/papers/any_boundary_predictor.h"

#include "sotto/models/papers/sliced_cost.h"

namespace sotto {

Result<BoundaryPhases> AnyBoundaryPredictor::LoadPhases(
    const BoundaryTarget& target, bool paper, ByteReader& reader) {
  return BoundaryPhases::Load(target, reader,
                              paper ? CheckSlicedPhases : CheckBoundaryPhases);
}

Result<AnyBoundaryPredictor> AnyBoundaryPredictor::Load(
    std::vector<BoundaryAxis> axes, std::vector<std::uint32_t> features,
    BoundaryPhases phases, bool paper, ByteReader& reader) {
  if (paper) {
    SOTTO_TRY_ASSIGN(
        auto sides,
        SlicedPredictor::Load(std::move(features), std::move(phases), reader));
    return AnyBoundaryPredictor(std::move(sides));
  }
  SOTTO_TRY_ASSIGN(auto sides, BoundaryPredictor::Load(
                                   std::move(axes), std::move(phases), reader));
  return AnyBoundaryPredictor(std::move(sides));
}

}  // namespace sotto
