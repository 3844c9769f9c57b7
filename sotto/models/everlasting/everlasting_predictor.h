#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/learners/ensembles/ensemble.h"
#include "sotto/mechanisms/thresholds/stopper.h"
#include "sotto/models/everlasting/everlasting_schedule.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/rng.h"

namespace sotto {

// Any learner, made a predictor that answers queries indefinitely from one
// training set, privately for every labelled row and every query. The rows are
// cut into chunks, each taught to one teacher; each query receives the noisy
// majority of the teachers; the clearly answered queries are the training set
// of the next teachers.
//
//   auto predictor = EverlastingPredictor::Create(schedule, factory);
//   if (!predictor) return predictor.error();
//   for (const auto& [x, y] : rows) predictor->Train(x, y, rng);
//   auto answer = predictor->Open(x, rng);   // answer->prediction
//
// Every Open and every PlayEmptyRound is one round of a public clock. Only
// rounds whose noisy vote falls into a band around half the teachers are paid
// for, and a Stopper, checked in every round, ends the phase about when they
// are used up; otherwise the clock does. With phases in which every round is
// paid for, as printed, each answer is kept and the clock alone ends a phase.
//
// Paper:     [PERP] Observation 3.3 and appendix A.
// Guarantee: [PERP] Definition 3.8, or challenge-DP, for each labelled row and
//            each query, against everybody else, adaptively.
// Proof:     everlasting.md, next to this file.
// Threads:   not thread-safe.
class EverlastingPredictor {
 public:
  struct Answer {
    bool prediction = false;
    bool paid = false;  // medium
    friend bool operator==(const Answer&, const Answer&) = default;
  };

  // All randomness of a round, drawn in every round before its votes are known:
  // so the chunk of a round depends only on the clock.
  struct Draw {
    std::uint64_t chunk = 0;
    std::int64_t noise = 0;
    std::int64_t stopper = 0;  // nu of the check
  };

  // Fails as the schedule and the factory do.
  static Result<EverlastingPredictor> Create(EverlastingSchedule schedule,
                                             EnsembleFactory factory);

  // One place of the training set, before the first round; without a label it
  // is empty, and still takes its draw. Fails as the ensemble does, and with
  // kFailedPrecondition once rounds have begun.
  Status Train(FeatureView x, std::optional<bool> y, Rng& rng);

  // Answers one query. Fails with kFailedPrecondition once halted, and as the
  // ensemble does.
  Result<Answer> Open(FeatureView x, Rng& rng);
  // An empty round.
  Status PlayEmptyRound(Rng& rng);

  // Many at once, with draws that come from DrawRound in this phase: stops
  // early after a handover, as the draws that follow belong to the phase
  // before. Returns how many were answered. Requires equal sizes.
  Draw DrawRound(Rng& rng);
  Result<std::size_t> PlayDrawn(std::span<const FeatureView> queries,
                                std::span<const Draw> draws,
                                std::span<Answer> answers);
  std::size_t preferred_batch_size() const {
    return active_->preferred_batch_size();
  }

  // Public: known to everybody at any time.
  bool halted() const { return halted_; }
  std::uint64_t rounds() const { return rounds_; }
  std::uint64_t phase() const { return phase_; }
  const EverlastingPhase& now() const { return now_; }
  std::uint64_t labelled() const { return labelled_; }  // places of the set
  const Guarantee& guarantee() const { return schedule_.guarantee(); }
  const EverlastingSchedule& schedule() const { return schedule_; }

  // The operator's own view: how many teachers say 1. Not covered.
  Result<std::int64_t> Votes(FeatureView x) { return active_->Votes(x); }

  // Fails as the ensemble does.
  Status Save(ByteWriter& writer);
  // Fails with kCorruption, or as Create does.
  static Result<EverlastingPredictor> Load(EverlastingSchedule schedule,
                                           EnsembleFactory factory,
                                           ByteReader& reader);

 private:
  EverlastingPredictor(EverlastingSchedule schedule, EnsembleFactory factory,
                       FixedWorkLaplace noise)
      : schedule_(std::move(schedule)),
        factory_(std::move(factory)),
        noise_(std::move(noise)) {}

  // Sizes, noise and Stopper of the phase, and empty teachers for the next one.
  // `active` answers. Halts if there is no next phase.
  Status BeginPhase(std::unique_ptr<Ensemble> active);
  Answer Decide(std::int64_t votes, const Draw& draw) const;
  // Lets a replay look at the votes and the check (Rng::Private).
  Status Watch(FeatureView x, Draw& draw, Rng& rng);
  // Ends the round: the check, and the handover if one is due.
  Status EndRound(bool paid, const Draw& draw);
  Status Fail(const Error& error);

  EverlastingSchedule schedule_;
  EnsembleFactory factory_;
  EverlastingPhase now_ = {};
  EverlastingPhase next_ = {};
  EverlastingBand band_ = {};
  FixedWorkLaplace noise_;
  std::optional<Stopper> stopper_;     // none if every round is paid for
  std::unique_ptr<Ensemble> active_;   // of phase_
  std::unique_ptr<Ensemble> waiting_;  // of phase_ + 1, learning; may be null
  std::uint64_t phase_ = 0;
  std::uint64_t rounds_ = 0;
  std::uint64_t phase_rounds_ = 0;
  std::uint64_t labelled_ = 0;
  bool halted_ = false;
  // Scratch of PlayDrawn, kept so that it allocates nothing.
  std::vector<Ensemble::Step> steps_;
  std::vector<std::int64_t> votes_;
};

}  // namespace sotto
