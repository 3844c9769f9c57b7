#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/learners/ensembles/ensemble.h"
#include "sotto/mechanisms/thresholds/stopper.h"
#include "sotto/models/pop/pop_round.h"
#include "sotto/models/pop/pop_schedule.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/rng.h"

namespace sotto {

// Any online learner, made private for every user: k copies of it vote, each
// user receives the noisy majority, and each labelled example teaches one copy,
// drawn without looking at any data.
//
//   auto pop = PrivateOnlineProcedure::Create(
//       {.epsilon = 1, .delta = 1e-6, .schedule = schedule}, factory);
//   if (!pop) return pop.error();
//   auto round = pop->Open(x, "user-17", rng);   // round->prediction()
//   auto taught = pop->Close(*std::move(round), y);   // later, or never
//
// Every Open and every PlayEmptyRound is one round of a public clock. Only
// rounds whose noisy vote falls into a narrow middle band are paid for; a
// Stopper, checked in every round, ends the phase when they are used up, and
// the next generation of copies takes over. No horizon, no assumption on the
// data and no event of good luck enters the guarantee.
//
// Paper:     [POP] Algorithm 7 and appendix F, in the form of the page below.
// Guarantee: challenge-DP for each user: features, label, its time, and whether
//            the round was used at all, against all others, adaptively.
// Proof:     private_online_procedure.md, next to this file.
// Threads:   not thread-safe.
class PrivateOnlineProcedure {
 public:
  struct Params {
    double epsilon = 0;
    double delta = 0;  // 0: the smallest proved one
    PopSchedule schedule;
    // Rounds that the caller opens at most for one user (with pin_users: and
    // all in one phase). A UserLedger keeps count.
    std::uint64_t rounds_per_user = 1;
  };

  using Answer = PopAnswer;
  using Round = PopRound;

  // A round whose label is known before the next begins, for Play.
  struct Example {
    FeatureView x;
    std::optional<bool> y;
  };

  // All randomness of one round. Drawn before its votes are known, so that it
  // depends only on the public clock.
  struct Draw {
    std::uint64_t share = 0;
    std::uint64_t copy = 0;
    std::int64_t noise = 0;     // on the votes
    std::int64_t stopper = 0;   // nu of the check
    std::int64_t mistakes = 0;  // nu of the agnostic mode's check
  };

  // Fails with kInvalidArgument where the schedule makes no sense, with
  // kBudgetExhausted where it does not meet (epsilon, delta), or as `factory`
  // does.
  static Result<PrivateOnlineProcedure> Create(const Params& params,
                                               EnsembleFactory factory);
  // Another one with the same parameters, without calibrating again. Requires
  // that nothing was done with this one. Fails as the factory does.
  Result<PrivateOnlineProcedure> Restarted() const;

  // Answers a user, whose name matters where users are pinned, and only there.
  // Fails with kFailedPrecondition once halted, and as the ensemble does, which
  // can depend on data: an ensemble outside this process is trusted not to.
  Result<Round> Open(FeatureView x, std::string_view user, Rng& rng);
  // Plays an empty round: its user is absent, over the limit, or sent a bad
  // row. Only the clock advances. Fails like Open.
  Status PlayEmptyRound(Rng& rng);
  // Teaches the label to the one copy drawn for the round, if that copy still
  // lives. Fails as the ensemble does.
  Status Close(Round round, bool y);

  // Rounds of users who come once and give their labels at once, many at a
  // time: the same distribution as Open and Close in turn. Stops early only
  // when halted; returns how many were answered.
  // Requires answers.size() == examples.size().
  Result<std::size_t> Play(std::span<const Example> examples,
                           std::span<Answer> answers, Rng& rng);

  // The same with the rounds' draws given, which must come from DrawRound in
  // this phase. Stops early when a phase ends: the draws that follow belong to
  // the phase before and must be drawn again.
  Draw DrawRound(Rng& rng);
  Result<std::size_t> PlayDrawn(std::span<const Example> examples,
                                std::span<const Draw> draws,
                                std::span<Answer> answers);
  // Batch size at which Play is fastest.
  std::size_t preferred_batch_size() const {
    return active_->preferred_batch_size();
  }

  // Public: known to everybody at any time.
  bool halted() const { return halted_; }
  std::uint64_t rounds() const { return rounds_; }
  std::uint64_t phase() const { return phase_; }
  const Guarantee& guarantee() const { return guarantee_; }
  const Params& params() const { return params_; }

  // The operator's own view: how many copies say 1. Not covered.
  Result<std::int64_t> Votes(FeatureView x) { return active_->Votes(x); }

  // Fails as the ensemble does, and with kFailedPrecondition after a phase
  // has failed to begin.
  Status Save(ByteWriter& writer);
  // Fails with kFailedPrecondition if the state belongs to other parameters,
  // with kCorruption if it makes no sense.
  static Result<PrivateOnlineProcedure> Load(const Params& params,
                                             EnsembleFactory factory,
                                             ByteReader& reader);

 private:
  PrivateOnlineProcedure(const Params& params, EnsembleFactory factory,
                         Guarantee guarantee, FixedWorkLaplace noise,
                         Stopper stopper);

  // This phase and the next, unless the schedule begins again.
  const PopPhase& now() const { return params_.schedule.At(phase_ - begun_); }
  const PopPhase& next() const {
    return params_.schedule.At(phase_ - begun_ + 1);
  }
  bool standby() const {
    return params_.schedule.handover == PhaseEnd::kStandby;
  }
  // Noise, Stoppers and generations of the phase that begins; with the waiting
  // generation, if there is one, unless a fresh one is asked for.
  Status BeginPhase(bool fresh);
  Status BeginGenerations(bool fresh);
  Status PrepareNoise();
  // Too many mistakes: the schedule begins again, and nothing learned so far is
  // kept (proof, step 6).
  Status HandOverNow(bool too_many_mistakes);
  // Mistakes allowed up to this round. Public.
  std::int64_t Allowed() const;
  bool LoadClock(ByteReader& reader);
  std::pair<std::uint64_t, std::int64_t> CopyFor(const Draw& draw,
                                                 std::string_view user,
                                                 std::uint64_t tick) const;
  void PrepareSteps(std::span<const Example> examples,
                    std::span<const Draw> draws);
  Answer Decide(std::int64_t votes, const Draw& draw) const;
  // The draws of a round's checks, which a replay may look at (Rng::Private):
  // the same.
  Draw Watched(bool paid, Draw draw, Rng& rng) const;
  // Ends the round: the checks, and the phase if it is over.
  Result<bool> EndRound(bool paid, const Draw& draw);
  Status Teach(std::uint64_t generation, std::int64_t copy, FeatureView x,
               bool y);
  void CountMistake(std::uint64_t phase, bool wrong);

  Params params_;
  EnsembleFactory factory_;
  Guarantee guarantee_;
  FixedWorkLaplace noise_;
  double noise_rate_;  // that it was made for
  Stopper fresh_stopper_;
  std::int64_t fresh_limit_;  // that it was made for
  Stopper stopper_;
  std::optional<Stopper> mistake_stopper_;
  std::unique_ptr<Ensemble> active_;   // generation_
  std::unique_ptr<Ensemble> waiting_;  // generation_ + 1, with a standby
  std::uint64_t phase_ = 0;
  std::uint64_t begun_ = 0;       // the phase in which the schedule began
  std::uint64_t generation_ = 0;  // never used again once it is gone
  std::uint64_t tolerated_ = 0;   // mistakes of 65,536 rounds
  std::uint64_t rounds_ = 0;
  std::uint64_t phase_rounds_ = 0;
  std::uint32_t new_mistakes_ = 0;
  bool halted_ = false;
  bool broken_ = false;  // a phase failed to begin: nothing to save
  // Scratch of PlayDrawn, kept so that it allocates nothing.
  std::vector<Ensemble::Step> steps_;
  std::vector<Ensemble::Step> waiting_steps_;
  std::vector<std::int64_t> votes_;
};

}  // namespace sotto
