#pragma once

#include <cstdint>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/thresholds/challenge_between_thresholds_calibration.h"
#include "sotto/mechanisms/thresholds/stopper.h"
#include "sotto/mechanisms/thresholds/threshold_rules.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/rng.h"

namespace sotto {

// Tests one query of each user of a stream, who alone sees the answer: the
// round of a protected user may hold any query. A Stopper decides on the halt,
// which is public. The rule says what is answered and charged:
// ChallengeAboveThreshold, ChallengeBetweenThresholds.
//
// Guarantee: (epsilon, delta)-challenge-DP; rounds must be public, so an absent
//            user takes an empty round.
// Proof:     challenge_between_thresholds.md, challenge_above_threshold.md.
// Threads:   not thread-safe.
template <typename Rule>
class ChallengeBand : public Rule {
 public:
  using Answer = typename Rule::Answer;
  using Params = typename Rule::Params;

  // Fails with kInvalidArgument, kNotConverged or kBudgetExhausted like
  // FreshNoiseBand and ChooseChallengeNoise.
  static Result<ChallengeBand> Create(const Params& params);

  // Answers one user, then checks the Stopper. In the round of the halt the
  // answer is still given.
  Answer Test(std::int64_t value, Rng& rng);
  // Round of an absent user: the same work, nothing counted.
  void PlayEmptyRound(Rng& rng);

  bool halted() const { return stopper_.halted(); }
  const ChallengeNoise& noise() const { return noise_; }
  const Guarantee& guarantee() const { return guarantee_; }

  void Save(ByteWriter& writer) const;
  static Result<ChallengeBand> Load(const Params& params, ByteReader& reader);

 private:
  ChallengeBand(const Params& params, const ChallengeNoise& noise,
                Guarantee guarantee, FixedWorkLaplace laplace, Stopper stopper)
      : params_(params),
        noise_(noise),
        guarantee_(std::move(guarantee)),
        laplace_(std::move(laplace)),
        stopper_(std::move(stopper)) {}

  Params params_;
  ChallengeNoise noise_;
  Guarantee guarantee_;
  FixedWorkLaplace laplace_;
  Stopper stopper_;
};

}  // namespace sotto
