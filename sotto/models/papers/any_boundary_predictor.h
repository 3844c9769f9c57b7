#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/boundaries/boundary_phases.h"
#include "sotto/mechanisms/boundaries/boundary_predictor.h"
#include "sotto/models/papers/sliced_predictor.h"
#include "sotto/random/rng.h"

namespace sotto {

// Our predictor on boundary sets, or RectanglesPERP as printed: whichever a
// model was asked for.
//
//   AnyBoundaryPredictor sides = *SlicedPredictor::Create(...);
//   sides.Answer(x, rng).inside;
//
// Guarantee: that of the predictor it holds.
// Threads:   not thread-safe.
class AnyBoundaryPredictor {
 public:
  using Answered = BoundaryPredictor::Answered;

  // NOLINTNEXTLINE(google-explicit-constructor): it is either.
  AnyBoundaryPredictor(BoundaryPredictor ours) : sides_(std::move(ours)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): likewise.
  AnyBoundaryPredictor(SlicedPredictor paper) : sides_(std::move(paper)) {}

  // Requires !halted().
  Answered Answer(FeatureView x, Rng& rng) {
    return std::visit([&](auto& s) { return s.Answer(x, rng); }, sides_);
  }
  void PlayEmptyRound(Rng& rng) {
    std::visit([&](auto& s) { s.PlayEmptyRound(rng); }, sides_);
  }

  std::uint64_t phase() const {
    return std::visit([](const auto& s) { return s.phase(); }, sides_);
  }
  bool halted() const {
    return std::visit([](const auto& s) { return s.halted(); }, sides_);
  }
  const BoundaryPhases& phases() const {
    return std::visit(
        [](const auto& s) -> const BoundaryPhases& { return s.phases(); },
        sides_);
  }
  std::uint64_t restarts() const {  // secret
    return std::visit([](const auto& s) { return s.restarts(); }, sides_);
  }

  // The phases, then the state, which holds numbers of users.
  void Save(ByteWriter& writer) const {
    phases().Save(writer);
    std::visit([&](const auto& s) { s.Save(writer); }, sides_);
  }
  // Both fail with kCorruption.
  static Result<BoundaryPhases> LoadPhases(const BoundaryTarget& target,
                                           bool paper, ByteReader& reader);
  // `axes` are those of our predictor; the paper's looks at both sides of each
  // of the `features`.
  static Result<AnyBoundaryPredictor> Load(std::vector<BoundaryAxis> axes,
                                           std::vector<std::uint32_t> features,
                                           BoundaryPhases phases, bool paper,
                                           ByteReader& reader);

 private:
  std::variant<BoundaryPredictor, SlicedPredictor> sides_;
};

}  // namespace sotto
