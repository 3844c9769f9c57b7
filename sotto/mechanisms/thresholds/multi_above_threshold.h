#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"
#include "sotto/mechanisms/thresholds/sparse_vector_stream.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/rng.h"

namespace sotto {

// Answers "at or above the threshold?" for a stream of integer queries of
// sensitivity 1 with fresh noise on each and none on the threshold, and halts
// after `reports` answers of the charged kind; the other kind is free.
//
//   auto test = MultiAboveThreshold::Create(
//       {.epsilon = 1, .delta = 1e-6, .threshold = 500, .reports = 100});
//   if (!test) return test.error();
//   if (test->Test(count, rng) == ThresholdAnswer::kAbove) ...
//
// Paper:     [POP] Algorithm 1; charging below: [Littlestone] Algorithm 2.
// Guarantee: (epsilon, delta)-DP against adaptive queries, any number of them
//            up to 2^49.
// Proof:     multi_above_threshold.md, next to this file.
// Threads:   not thread-safe.
class MultiAboveThreshold {
 public:
  using Answer = ThresholdAnswer;

  struct Params {
    double epsilon = 0;
    double delta = 0;
    std::int64_t threshold = 0;
    std::int64_t reports = 1;  // r
    Charge charge = Charge::kAbove;
    // e0 = 1 / scale by hand; delta is then computed if it is 0, and must be
    // met if it is not.
    double rate = 0;
  };

  // Fails with kInvalidArgument unless epsilon is in (0, 16], reports in
  // [1, 2^32], |threshold| <= 2^60, the rate 0 or in [2^-30, 64]; with
  // kNotConverged or kBudgetExhausted if the target cannot be met.
  static Result<MultiAboveThreshold> Create(const Params& params);

  Answer Test(std::int64_t value, Rng& rng) {
    if (halted()) return Answer::kHalted;
    return Decide(value, noise_.Sample(rng), rng);
  }
  void TestBatch(std::span<const std::int64_t> values,
                 std::span<Answer> answers, Rng& rng) {
    TestInBatches(*this, values, answers, rng);
  }

  bool halted() const {
    return reports_left_ == 0 || rounds_ == kMaxThresholdRounds;
  }
  std::int64_t reports_left() const { return reports_left_; }
  std::uint64_t rounds() const { return rounds_; }
  double rate() const { return rate_; }  // e0
  const Guarantee& guarantee() const { return guarantee_; }

  double NoiseDeviation() const;
  // A w such that with probability at least 1 - failure every one of the first
  // `tests` queries that is w or more away from the threshold, and is answered
  // at all, is answered rightly (step 5). `failure` is in (0, 1).
  std::int64_t ErrorBound(std::uint64_t tests, double failure) const;

  void Save(ByteWriter& writer) const;
  // Fails with kFailedPrecondition if the state belongs to other parameters,
  // with kCorruption if it makes no sense.
  static Result<MultiAboveThreshold> Load(const Params& params,
                                          ByteReader& reader);

 private:
  template <typename M>
  friend class ThresholdStream;
  template <typename M, typename A>
  friend void TestInBatches(M&, std::span<const std::int64_t>, std::span<A>,
                            Rng&);

  MultiAboveThreshold(const Params& params, double rate, Guarantee guarantee,
                      FixedWorkLaplace noise)
      : params_(params),
        rate_(rate),
        guarantee_(std::move(guarantee)),
        noise_(std::move(noise)),
        reports_left_(params.reports) {}

  void FillNoise(std::span<std::int64_t> noise, Rng& rng) const {
    noise_.Fill(rng, noise);
  }
  Answer Decide(std::int64_t value, std::int64_t noise, Rng& rng);

  Params params_;
  double rate_;
  Guarantee guarantee_;
  FixedWorkLaplace noise_;
  std::int64_t reports_left_;
  std::uint64_t rounds_ = 0;
};

}  // namespace sotto
