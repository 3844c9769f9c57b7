#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/rational.h"
#include "sotto/base/result.h"
#include "sotto/learners/classes/finite_class.h"
#include "sotto/mechanisms/thresholds/exact_stopper.h"
#include "sotto/online/pending_rounds.h"
#include "sotto/random/loss_weights.h"
#include "sotto/random/rng.h"

namespace sotto {

// Learns a function of a finite class online and publishes it, also against
// adversaries that see it: a Stopper counts the mistakes of what is published,
// and when there are enough of them functions are drawn again by the
// exponential mechanism over all mistakes so far. It publishes the majority of
// the functions drawn.
//
//   auto learner = FiniteClassLearner::Create(params);
//   if (!learner) return learner.error();
//   auto round = learner->Open(point, rng);     // round.prediction
//   learner->Close(round, y);
//
// Guarantee: params.user, as DP of all hypotheses and of when they changed, for
//            features, label and the time of the label; every other round
//            chosen adaptively. The times of rounds are public.
// Proof:     finite_class_learner.md.
// Threads:   not thread-safe.
class FiniteClassLearner {
 public:
  // The least weight is 2^-60 of the largest: a function so bad is not drawn.
  static constexpr int kBits = 60;
  static constexpr std::size_t kMaxSize = std::size_t{1} << 20;
  static constexpr std::uint64_t kMaxDelay = std::uint64_t{1} << 20;
  static constexpr std::uint64_t kMaxFirings = 4096;
  static constexpr std::uint64_t kMaxVotes = 255;

  struct Params {
    std::shared_ptr<const FiniteClass> functions = nullptr;
    ApproximateDp user = {};
    Relation relation = Relation::kReplace;
    std::uint64_t rounds_per_user = 1;
    double stopper = 0;        // its epsilon
    std::int64_t limit = 0;    // mistakes before a change, about
    std::uint64_t period = 1;  // rounds between two tests of the mistakes
    std::uint64_t votes = 3;   // functions drawn at a change: odd
    Rational rate = *Rational::Create(1, 1024);  // of a mistake of weight 1
    // Of mistakes made before the first change, between the first and second,
    // ...: as many as there can be changes.
    std::vector<std::uint32_t> weights = {};
    // Labels that come after more than this many further rounds do not count.
    std::uint64_t delay = 0;
    // Whose streams the votes are meant for; nothing else depends on it.
    Adversary streams = Adversary::kAdaptive;
  };

  using Round = PendingRounds::Round;

  // Fails with kInvalidArgument on parameters out of range, with
  // kBudgetExhausted if they cost more than params.user.
  static Result<FiniteClassLearner> Create(Params params);
  // Two copies would draw from the same losses twice.
  FiniteClassLearner(FiniteClassLearner&&) = default;
  FiniteClassLearner& operator=(FiniteClassLearner&&) = default;
  FiniteClassLearner(const FiniteClassLearner&) = delete;
  FiniteClassLearner& operator=(const FiniteClassLearner&) = delete;

  // Plays one round. First the clock advances, and the hypothesis may change. A
  // point outside the class is answered by 0 and teaches nothing.
  Round Open(std::uint32_t point, Rng& rng);
  // An empty round.
  void PlayEmptyRound(Rng& rng);
  void Close(const Round& round, bool y);

  // On every point.
  const std::vector<bool>& hypothesis() const { return hypothesis_; }
  // The functions it is the majority of; none: of all.
  const std::vector<std::size_t>& drawn() const { return drawn_; }
  std::uint64_t changes() const { return changes_; }
  // Hypotheses that were drawn.
  std::uint64_t releases() const { return changes_; }
  const Params& params() const { return params_; }
  const Guarantee& guarantee() const { return guarantee_; }

  // The state holds losses. Bit-equal from there on.
  void Save(ByteWriter& writer) const;
  // Fails as Create does, and with kCorruption.
  static Result<FiniteClassLearner> Load(Params params, ByteReader& reader);

 private:
  FiniteClassLearner(Params params, Guarantee guarantee, ExactStopper stopper,
                     LossWeights weights);

  void Advance(Rng& rng);
  void Change(Rng& rng);
  std::size_t Draw(Rng& rng) const;
  void Publish();
  bool LoadCounts(ByteReader& reader);

  Params params_;
  Guarantee guarantee_;
  ExactStopper stopper_;  // its threshold: secret
  LossWeights weights_;
  std::vector<bool> hypothesis_;    // public
  std::vector<std::size_t> drawn_;  // public
  std::uint64_t changes_ = 0;       // public
  bool begun_ = false;              // public
  PendingRounds waiting_;
  std::int64_t mistakes_ = 0;          // since the last change: secret
  std::vector<std::uint64_t> wrong_;   // of them, at each point: secret
  std::vector<std::uint64_t> losses_;  // of each function, before it: secret
};

// The delta that all of it costs one round at its epsilon, from the parameters
// in use: finite_class_learner.md, step 6.
double FiniteClassDelta(const FiniteClassLearner::Params& params,
                        double epsilon);

}  // namespace sotto
