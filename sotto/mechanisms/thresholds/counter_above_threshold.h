#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/counters/tree_counter.h"
#include "sotto/mechanisms/thresholds/threshold_rules.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/rng.h"

namespace sotto {

// ChallengeAT as printed: AboveThreshold for users who each see one answer,
// halted by a private counter of the answers "above".
//
//   auto test = CounterAboveThreshold::Create(
//       {.epsilon = 1, .delta = 1e-6, .threshold = 500, .reports = 1000,
//        .horizon = 1'000'000});
//   if (!test) return test.error();
//   const auto answer = test->Test(votes, rng);   // to this user only
//   if (test->halted()) Restart();
//
// Paper:     [POP] Algorithm 6 (Theorems 4.2, C.1, Remark 4.1).
// Guarantee: (epsilon, delta)-challenge-DP; rounds must be public, so an absent
//            user takes an empty round.
// Proof:     counter_above_threshold.md, next to this file.
// Threads:   not thread-safe.
class CounterAboveThreshold {
 public:
  using Answer = ThresholdAnswer;

  // Noise of the tests and of the counter.
  struct Noise {
    double rate = 0;             // e0 = 1 / gamma of the tests
    double counter_epsilon = 0;  // e_c
    double counter_failure = 0;  // d_c
    std::int64_t late = 0;       // lambda: reports that come too many
    friend bool operator==(const Noise&, const Noise&) = default;
  };
  struct Params {
    double epsilon = 0;
    double delta = 0;
    std::int64_t threshold = 0;
    std::int64_t reports = 1;   // r
    std::uint64_t horizon = 0;  // T; halts after T rounds
    // The paper's formula for gamma, times `constant`; otherwise the least
    // noise, over the shares of epsilon.
    bool printed = false;
    double constant = 1;
    // Children of the counter's nodes: empty for a binary tree.
    std::vector<std::uint64_t> radices = {};
    // Epsilon of a pure mechanism of the caller's that is seen with the
    // answers: paid for together with them (proof, step 6).
    double beside = 0;
    friend bool operator==(const Params&, const Params&) = default;
  };
  // Site of the users' queries, for replays.
  static constexpr std::string_view kSite = "challenge query";

  // Fails with kInvalidArgument on parameters out of range (delta at least
  // 4e-10 for the counter's failure), with kBudgetExhausted where the printed
  // noise costs more, and with kNotConverged where no noise is enough.
  static Result<CounterAboveThreshold> Create(const Params& params);
  // The same with this noise; epsilon and delta are then checked, not used.
  static Result<CounterAboveThreshold> Create(const Params& params,
                                              const Noise& noise);
  // The noise that the first Create takes, also for more reports than a test
  // may have: what it costs is not checked. Fails with kInvalidArgument or
  // kNotConverged.
  static Result<Noise> ChooseNoise(const Params& params);
  // With probability 1 - failure the counter of this noise is never off by
  // more. Fails with kInvalidArgument.
  static Result<double> CounterError(const Params& params, const Noise& noise,
                                     double failure);

  // Answers one user, then asks the counter. In the round of the halt the
  // answer is still given.
  Answer Test(std::int64_t value, Rng& rng);
  // Round of an absent user: the same work, nothing counted.
  void PlayEmptyRound(Rng& rng);

  bool halted() const { return halted_; }
  const Noise& noise() const { return noise_; }
  const Guarantee& guarantee() const { return guarantee_; }

  // The state is secret, and is resumed once. Load fails with
  // kFailedPrecondition on a state of other parameters, with kCorruption on
  // bytes that no Save wrote.
  void Save(ByteWriter& writer) const;
  static Result<CounterAboveThreshold> Load(const Params& params,
                                            ByteReader& reader);

 private:
  CounterAboveThreshold(Params params, const Noise& noise,
                        FixedWorkLaplace laplace, TreeCounter counter,
                        Guarantee guarantee)
      : params_(std::move(params)),
        noise_(noise),
        laplace_(std::move(laplace)),
        counter_(std::move(counter)),
        guarantee_(std::move(guarantee)) {}

  void Count(bool above, Rng& rng);

  Params params_;
  Noise noise_;
  FixedWorkLaplace laplace_;
  TreeCounter counter_;
  Guarantee guarantee_;
  bool halted_ = false;
};

// Radices of a counter over T steps: the given ones, or those of a binary tree.
std::vector<std::uint64_t> CounterRadices(
    std::uint64_t horizon, const std::vector<std::uint64_t>& radices);

}  // namespace sotto
