#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"
#include "sotto/mechanisms/thresholds/sparse_vector_stream.h"
#include "sotto/random/fixed_work_geometric.h"
#include "sotto/random/rng.h"

namespace sotto {

// Reports, for a stream of integer queries of sensitivity 1, those at or above
// a threshold that is itself noisy, and halts after `reports` of them. Answers
// "below" are free.
//
//   auto test = AboveThreshold::Create({.epsilon = 1, .threshold = 40});
//   if (!test) return test.error();
//   while (test->Test(NextCount(), rng) == ThresholdAnswer::kBelow) {}
//
// Both noises are one-sided, and centred by a public constant: half the
// variance of the two-sided noise of the textbook at the same epsilon.
//
// Paper:     [DworkRoth14] Algorithm 1, Theorem 3.23; [Winnow] Lemma 10.
// Guarantee: (epsilon, samplers' slack)-DP against adaptive queries for a kept
//            threshold; (epsilon, delta)-DP for one that is redrawn.
// Proof:     above_threshold.md, next to this file.
// Threads:   not thread-safe.
class AboveThreshold {
 public:
  using Answer = ThresholdAnswer;

  enum class ThresholdNoise {
    kKept,     // One draw for all reports: epsilon = e1 + k r e2, pure.
    kRedrawn,  // After every report: r-fold composition of e1 + k e2.
  };

  struct Params {
    double epsilon = 0;
    double delta = 0;  // kRedrawn only; kKept is pure and ignores it
    std::int64_t threshold = 0;
    std::int64_t reports = 1;  // r
    // All queries move the same way between neighbours, e.g. counts under
    // add-remove: k = 1 instead of 2.
    bool monotone = false;
    Charge charge = Charge::kAbove;
    ThresholdNoise threshold_noise = ThresholdNoise::kKept;
    // Noise set explicitly: e1 and e2, both or none. Then epsilon (kKept) or
    // delta (kRedrawn) is computed if it is 0, and must be met if it is not.
    double threshold_rate = 0;
    double query_rate = 0;
  };

  // Fails with kInvalidArgument unless epsilon is in (0, 16], reports in
  // [1, 2^32], |threshold| <= 2^60 and rates in [2^-30, 64]; with
  // kBudgetExhausted if noise set explicitly does not meet the target.
  static Result<AboveThreshold> Create(const Params& params);

  // Draws the threshold's noise at the first call.
  Answer Test(std::int64_t value, Rng& rng);
  void TestBatch(std::span<const std::int64_t> values,
                 std::span<Answer> answers, Rng& rng) {
    TestInBatches(*this, values, answers, rng);
  }

  bool halted() const {
    return reports_left_ == 0 || rounds_ == kMaxThresholdRounds;
  }
  std::int64_t reports_left() const { return reports_left_; }
  std::uint64_t rounds() const { return rounds_; }
  double threshold_rate() const { return rates_.threshold; }  // e1
  double query_rate() const { return rates_.query; }          // e2
  const Guarantee& guarantee() const { return guarantee_; }

  // Standard deviation of the noise in one test, threshold and query together.
  double NoiseDeviation() const;
  // A w such that with probability at least 1 - failure every one of the first
  // `tests` queries that is w or more away from the threshold, and is answered
  // at all, is answered rightly: the least one that step 6 proves. `failure` is
  // in (0, 1).
  std::int64_t ErrorBound(std::uint64_t tests, double failure) const;

  // The state holds the threshold's noise: as secret as the data.
  void Save(ByteWriter& writer) const;
  // Fails with kFailedPrecondition if the state belongs to other parameters,
  // with kCorruption if it makes no sense.
  static Result<AboveThreshold> Load(const Params& params, ByteReader& reader);

 private:
  struct Rates {
    double threshold;
    double query;
  };
  struct Choice {
    Rates rates;
    double epsilon;
    double delta;  // without the samplers' slack
  };
  template <typename M>
  friend class ThresholdStream;
  template <typename M, typename A>
  friend void TestInBatches(M&, std::span<const std::int64_t>, std::span<A>,
                            Rng&);

  AboveThreshold(const Params& params, const Rates& rates, Guarantee guarantee,
                 FixedWorkGeometric threshold_noise,
                 FixedWorkGeometric query_noise);

  static Result<Choice> Choose(const Params& params);
  static Result<Choice> ChooseKept(const Params& params);
  static Result<Choice> ChooseRedrawn(const Params& params);

  void FillNoise(std::span<std::int64_t> noise, Rng& rng) const {
    query_noise_.Fill(rng, noise);
  }
  Answer Decide(std::int64_t value, std::int64_t noise, Rng& rng);

  Params params_;
  Rates rates_;
  Guarantee guarantee_;
  FixedWorkGeometric threshold_noise_;
  FixedWorkGeometric query_noise_;
  std::int64_t offset_;  // what makes the noise centred; public
  bool has_threshold_ = false;
  std::int64_t noisy_threshold_ = 0;
  std::int64_t reports_left_;
  std::uint64_t rounds_ = 0;
};

}  // namespace sotto
