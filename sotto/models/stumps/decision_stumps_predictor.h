#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/boundaries/boundary_phases.h"
#include "sotto/mechanisms/selection/selection.h"
#include "sotto/models/papers/any_boundary_predictor.h"
#include "sotto/models/papers/sliced_phases.h"
#include "sotto/models/stumps/stump_table.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/rng.h"

namespace sotto {

// Answers indefinitely on which side of a threshold on one of many coordinates
// a query lies. The coordinate and the direction are chosen privately, once.
// The threshold is not published.
//
//   auto training = StumpsTraining::Create({.features = 100, .epsilon = 3,
//                                           .delta = 1e-5});
//   if (!training) return training.error();
//   for (const auto& [x, y] : rows) training->Add(x, y);
//   auto predictor = std::move(*training).Finish(rng);
//   predictor->Answer(x, rng).inside;
//
// Paper:     [PERP] Algorithm 7, sorted the right way; with `paper` its printed
//            lines (SlicedPredictor), otherwise a window of ranks
//            (BoundaryPredictor).
// Guarantee: everlasting: (epsilon, delta(i)) for the query of round i and for
//            each training row.
// Proof:     decision_stumps_predictor.md, next to this file; with `paper`
//            decision_perp.md.
// Threads:   not thread-safe.
struct StumpsParams {
  std::uint32_t features = 1;
  double epsilon = 0;
  double delta = 0;  // of all rounds and the training set together
  Relation relation = Relation::kReplace;
  std::uint64_t rounds_per_user = 1;
  double error = 0.05;           // of honest queries, aimed at
  double honest_fraction = 0.5;  // gamma
  // Run the lines as printed, with these numbers.
  std::optional<SlicedNumbers> paper = {};

  static constexpr std::uint32_t kMaxFeatures = 1U << 16;
};

class StumpsPredictor {
 public:
  using Answered = AnyBoundaryPredictor::Answered;

  // Requires !halted().
  Answered Answer(FeatureView x, Rng& rng) { return side_.Answer(x, rng); }
  void PlayEmptyRound(Rng& rng) { side_.PlayEmptyRound(rng); }

  // Private as everything it says: it may be shown.
  const StumpAxis& axis() const { return axis_; }
  std::uint64_t phase() const { return side_.phase(); }
  bool halted() const { return side_.halted(); }
  const BoundaryPhases& phases() const { return side_.phases(); }
  std::uint64_t restarts() const { return side_.restarts(); }  // secret
  const Guarantee& guarantee() const { return guarantee_; }

  // The state holds numbers of users. Bit-equal from there on.
  void Save(ByteWriter& writer) const;
  // Loads a state of the same parameters. Fails with kInvalidArgument on
  // parameters that Create refuses, and with kCorruption.
  static Result<StumpsPredictor> Load(const StumpsParams& params,
                                      ByteReader& reader);

 private:
  friend class StumpsTraining;
  StumpsPredictor(StumpAxis axis, AnyBoundaryPredictor side,
                  Guarantee guarantee)
      : axis_(axis), side_(std::move(side)), guarantee_(std::move(guarantee)) {}

  StumpAxis axis_;
  AnyBoundaryPredictor side_;
  Guarantee guarantee_;
};

// Holds the training set until the axis is chosen: four bytes a number.
class StumpsTraining {
 public:
  // Fails with kInvalidArgument unless there are 1 to 2^16 features, as
  // ChooseBoundaryPhases does and, with `paper`, as ChooseSlicedPhases and
  // SlicedPredictor::Check do.
  static Result<StumpsTraining> Create(const StumpsParams& params);

  void Add(FeatureView x, bool positive) { table_.Add(x, positive); }
  Result<StumpsPredictor> Finish(Rng& rng) &&;

  const BoundaryPhases& phases() const { return phases_; }
  const Guarantee& guarantee() const { return guarantee_; }
  // How many rows the choice of the axis and the noise on the number of
  // positives may cost, but for a probability of 5 %.
  double RowsLost() const;

 private:
  StumpsTraining(const StumpsParams& params, Selection choose,
                 FixedWorkLaplace noise, BoundaryPhases phases,
                 Guarantee guarantee)
      : table_(params.features),
        paper_(params.paper.has_value()),
        choose_(std::move(choose)),
        noise_(std::move(noise)),
        phases_(std::move(phases)),
        guarantee_(std::move(guarantee)) {}

  // Axis and boundary, after the choices of steps 1 and 2.
  Result<AnyBoundaryPredictor> MakeSide(const StumpAxis& axis,
                                        std::int64_t inside, Rng& rng);

  StumpTable table_;  // secret
  bool paper_;
  Selection choose_;
  FixedWorkLaplace noise_;  // on the number of positives
  double noise_scale_ = 0;
  BoundaryPhases phases_;
  Guarantee guarantee_;
};

// Target and numbers of the printed lines, whether they are asked for or not.
// Fails as Create does.
struct DecisionPerp {
  BoundaryTarget target;
  SlicedNumbers numbers;
};
Result<DecisionPerp> MakeDecisionPerp(const StumpsParams& params,
                                      const SlicedNumbers& numbers);

}  // namespace sotto
