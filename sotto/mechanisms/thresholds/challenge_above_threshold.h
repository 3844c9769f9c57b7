#pragma once

#include <cstdint>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/thresholds/challenge_between_thresholds_calibration.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"
#include "sotto/mechanisms/thresholds/stopper.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/rng.h"

namespace sotto {

// AboveThreshold for a stream of users each of whom sees one answer: the round
// of a protected user may hold any query at all, as long as nobody else sees
// its answer. The halt, which everybody sees, is left to a Stopper.
//
//   auto test = ChallengeAboveThreshold::Create(
//       {.epsilon = 1, .delta = 1e-6, .threshold = 500, .reports = 50});
//   if (!test) return test.error();
//   const auto answer = test->Test(votes, rng);   // to this user only
//   if (test->halted()) Restart();
//
// Paper:     [POP] Algorithm 6, with a one-sided Stopper in place of the
//            private counter: no horizon, and no log^2 T in the noise.
// Guarantee: (epsilon, delta)-challenge-DP; rounds must be public, so a user
//            who is absent takes a Tick.
// Proof:     challenge_above_threshold.md, next to this file.
// Threads:   not thread-safe.
class ChallengeAboveThreshold {
 public:
  struct Params {
    double epsilon = 0;
    double delta = 0;
    std::int64_t threshold = 0;
    // With probability 1 - failure, so many charged answers are given before
    // the halt, if there are at most `rounds` rounds.
    std::int64_t reports = 1;
    std::uint64_t rounds = 1'000'000;
    double failure = 0.05;
    Charge charge = Charge::kAbove;
    // By hand, instead of reports, rounds and failure; delta is then computed
    // if it is 0, and must be met if it is not.
    ChallengeNoise noise = {};
  };
  using Answer = ThresholdAnswer;

  // Fails with kInvalidArgument, kNotConverged or kBudgetExhausted as
  // MultiAboveThreshold and ChooseChallengeNoise do.
  static Result<ChallengeAboveThreshold> Create(const Params& params);

  // Answers one user, then checks the Stopper. In the round of the halt the
  // answer is still given.
  Answer Test(std::int64_t value, Rng& rng);
  // The round of an absent user: the same work, nothing counted.
  void PlayEmptyRound(Rng& rng);

  bool halted() const { return stopper_.halted(); }
  const ChallengeNoise& noise() const { return noise_; }
  const Guarantee& guarantee() const { return guarantee_; }

  void Save(ByteWriter& writer) const;
  static Result<ChallengeAboveThreshold> Load(const Params& params,
                                              ByteReader& reader);

 private:
  ChallengeAboveThreshold(const Params& params, const ChallengeNoise& noise,
                          Guarantee guarantee, FixedWorkLaplace laplace,
                          Stopper stopper)
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
