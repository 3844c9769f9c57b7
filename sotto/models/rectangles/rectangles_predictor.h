#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/boundaries/boundary_phases.h"
#include "sotto/mechanisms/boundaries/boundary_set.h"
#include "sotto/models/papers/any_boundary_predictor.h"
#include "sotto/models/papers/sliced_phases.h"
#include "sotto/models/papers/sliced_predictor.h"
#include "sotto/random/rng.h"

namespace sotto {

// Answers indefinitely whether queries lie in an unknown axis-parallel box,
// from labelled points at first and from the queries themselves later.
//
//   auto training = RectanglesTraining::Create({.dimensions = 2, .epsilon = 3,
//                                               .delta = 1e-5});
//   if (!training) return training.error();
//   for (const auto& [x, y] : rows) training->Add(x, y);
//   auto predictor = std::move(*training).Finish(rng);
//   predictor->Answer(x, rng).inside;
//
// Nothing of the box is published. Up to 1 - honest_fraction of the queries may
// be anything at all.
//
// Paper:     [PERP] Algorithm 5; with `paper` its printed lines
//            (SlicedPredictor), otherwise ours (BoundaryPredictor).
// Guarantee: everlasting: (epsilon, delta(i)) for the query of round i and for
//            each training row.
// Proof:     rectangles_predictor.md, next to this file.
// Threads:   not thread-safe.
struct RectanglesParams {
  std::uint32_t dimensions = 1;
  double epsilon = 0;
  double delta = 0;  // of all rounds and the training set together
  Relation relation = Relation::kReplace;
  std::uint64_t rounds_per_user = 1;
  double error = 0.05;           // of honest queries, aimed at
  double honest_fraction = 0.5;  // gamma
  // Run the lines as printed, with these numbers.
  std::optional<SlicedNumbers> paper = {};

  static constexpr std::uint32_t kMaxDimensions = 256;
};

class RectanglesPredictor {
 public:
  using Answered = AnyBoundaryPredictor::Answered;

  // Requires !halted().
  Answered Answer(FeatureView x, Rng& rng) { return sides_.Answer(x, rng); }
  void PlayEmptyRound(Rng& rng) { sides_.PlayEmptyRound(rng); }

  std::uint64_t phase() const { return sides_.phase(); }
  bool halted() const { return sides_.halted(); }
  const BoundaryPhases& phases() const { return sides_.phases(); }
  std::uint64_t restarts() const { return sides_.restarts(); }  // secret
  const Guarantee& guarantee() const { return guarantee_; }

  // The state holds numbers of users. Bit-equal from there on.
  void Save(ByteWriter& writer) const { sides_.Save(writer); }
  // Loads a state of the same parameters. Fails with kInvalidArgument on
  // parameters that Create refuses, and with kCorruption.
  static Result<RectanglesPredictor> Load(const RectanglesParams& params,
                                          ByteReader& reader);

 private:
  friend class RectanglesTraining;
  RectanglesPredictor(AnyBoundaryPredictor sides, Guarantee guarantee)
      : sides_(std::move(sides)), guarantee_(std::move(guarantee)) {}

  AnyBoundaryPredictor sides_;
  Guarantee guarantee_;
};

// Takes the training set row by row and keeps its boundary sets only.
class RectanglesTraining {
 public:
  // Fails with kInvalidArgument unless there are 1 to 256 dimensions, as
  // ChooseBoundaryPhases does and, with `paper`, as ChooseSlicedPhases and
  // SlicedPredictor::Check do.
  static Result<RectanglesTraining> Create(const RectanglesParams& params);

  void Add(FeatureView x, bool positive);
  Result<RectanglesPredictor> Finish(Rng& rng) &&;

  const BoundaryPhases& phases() const { return phases_; }
  const Guarantee& guarantee() const { return guarantee_; }

 private:
  RectanglesTraining(const RectanglesParams& params, BoundaryPhases phases,
                     Guarantee guarantee);

  std::vector<BoundaryAxis> axes_;
  BoundaryPhases phases_;
  Guarantee guarantee_;
  // Secret. The points are for the printed lines, the sets for ours.
  std::optional<OutermostPoints> points_;
  std::vector<BoundarySet> sets_;
};

// Phases and guarantee of these parameters; may be more than can be run.
Result<BoundaryPhases> RectanglesPhases(const RectanglesParams& params);
Result<Guarantee> RectanglesPromise(const RectanglesParams& params,
                                    const BoundaryPhases& phases);

}  // namespace sotto
