#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/learners/ensembles/ensemble.h"
#include "sotto/mechanisms/counters/tree_counter.h"
#include "sotto/mechanisms/thresholds/counter_above_threshold.h"
#include "sotto/models/pop/pop_round.h"
#include "sotto/random/rng.h"

namespace sotto {

// POP line by line as the paper prints it: k copies vote; where ChallengeAT,
// halted by a private counter, reports that they disagree, the user gets a
// coin, otherwise the majority; each label teaches one copy, drawn at random.
// One phase: when ChallengeAT halts, so does the procedure. In the agnostic
// form (`mistakes` above 0) a second counter counts mistakes; whenever one of
// the two ends a phase, the next begins with fresh copies.
//
//   auto pop = CounterOnlineProcedure::Create(
//       {.epsilon = 8, .delta = 1e-6, .copies = 45'000, .reports = 100'000,
//        .horizon = 1'000'000, .noise = noise}, factory);
//   if (!pop) return pop.error();
//   auto round = pop->Open(x, "", rng);               // round->prediction()
//   auto taught = pop->Close(*std::move(round), y);   // later, or never
//
// Paper:     [POP] Algorithm 7 over Algorithm 6 (Theorems 5.1 to 5.3);
//            Definition F.2 and Theorem F.4.
// Guarantee: challenge-DP for each user, as PrivateOnlineProcedure.
// Proof:     counter_online_procedure.md, next to this file.
// Threads:   not thread-safe.
class CounterOnlineProcedure {
 public:
  using Answer = PopAnswer;
  using Round = PopRound;
  using Noise = CounterAboveThreshold::Noise;

  struct Params {
    // For a user, all rounds together. The noise is checked against it.
    double epsilon = 0;
    double delta = 0;
    std::uint64_t rounds_per_user = 1;
    std::int64_t copies = 0;    // k, a multiple of 4
    std::int64_t reports = 1;   // r
    std::uint64_t horizon = 0;  // T; halts after T rounds
    // Children of the counter's nodes: empty for a binary tree.
    std::vector<std::uint64_t> radices = {};
    Noise noise = {};
    // (u + w) / 2: a phase ends where the counter of mistakes, of this epsilon,
    // shows as many. 0: mistakes are not counted.
    std::int64_t mistakes = 0;
    double mistake_epsilon = 0;

    void Save(ByteWriter& writer) const;
    // The caller checks reader.failed().
    static Params Load(ByteReader& reader);
    friend bool operator==(const Params&, const Params&) = default;
  };
  static constexpr std::int64_t kMaxCopies = (std::int64_t{1} << 31) - 1;

  // Fails with kInvalidArgument on numbers out of range, with kBudgetExhausted
  // where they do not meet (epsilon, delta), or as `factory` does.
  static Result<CounterOnlineProcedure> Create(const Params& params,
                                               EnsembleFactory factory);
  // The guarantee that Create would give, without copies. Fails like it.
  static Result<Guarantee> Promise(const Params& params);
  // Another one with the same parameters. Requires that nothing was done with
  // this one. Fails as the factory does.
  Result<CounterOnlineProcedure> Restarted() const;

  // Answers a user; the name does not matter. Fails with kFailedPrecondition
  // once halted, and as the ensemble does.
  Result<Round> Open(FeatureView x, std::string_view user, Rng& rng);
  // Round of an absent user: the same draws, nothing counted. Fails like Open.
  Status PlayEmptyRound(Rng& rng);
  // Teaches the label to the copy of the round. Does nothing once halted, or
  // after the phase of the round. Fails as the ensemble does.
  Status Close(Round round, bool y);

  // Public.
  bool halted() const { return halted_; }
  std::uint64_t rounds() const { return rounds_; }
  std::uint64_t phase() const { return generation_ + (halted_ ? 1 : 0); }
  const Guarantee& guarantee() const { return guarantee_; }
  const Params& params() const { return params_; }

  // The operator's own view: how many copies say 1. Not covered.
  Result<std::int64_t> Votes(FeatureView x) { return copies_->Votes(x); }

  // The state is secret, and is resumed once. Fails as the ensemble does.
  Status Save(ByteWriter& writer);
  // Fails with kFailedPrecondition on a state of other parameters, with
  // kCorruption on bytes that no Save wrote.
  static Result<CounterOnlineProcedure> Load(const Params& params,
                                             EnsembleFactory factory,
                                             ByteReader& reader);

 private:
  CounterOnlineProcedure(Params params, EnsembleFactory factory,
                         Guarantee guarantee, CounterAboveThreshold test,
                         std::optional<TreeCounter> mistakes,
                         std::unique_ptr<Ensemble> copies)
      : params_(std::move(params)),
        factory_(std::move(factory)),
        guarantee_(std::move(guarantee)),
        fresh_test_(std::move(test)),
        fresh_mistakes_(std::move(mistakes)),
        test_(fresh_test_),
        mistakes_(fresh_mistakes_),
        copies_(std::move(copies)) {}

  Status EndRound(Rng& rng);
  Status BeginPhase();
  Status LoadMistakes(ByteReader& reader);

  Params params_;
  EnsembleFactory factory_;
  Guarantee guarantee_;
  CounterAboveThreshold fresh_test_;
  std::optional<TreeCounter> fresh_mistakes_;
  CounterAboveThreshold test_;
  std::optional<TreeCounter> mistakes_;
  std::unique_ptr<Ensemble> copies_;
  std::uint64_t rounds_ = 0;
  std::uint64_t generation_ = 0;
  std::uint64_t new_mistakes_ = 0;  // since the last round: secret
  bool halted_ = false;
};

// Least k, a multiple of 4, for which the majorities that are shown cost at
// most `delta` beside `reports` reports and this noise; 0 if there is none up
// to 2^60.
std::int64_t LeastCopies(const CounterAboveThreshold::Noise& noise,
                         std::int64_t reports, double epsilon, double delta);

}  // namespace sotto
