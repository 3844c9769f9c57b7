#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/thresholds/sparse_vector_stream.h"
#include "sotto/mechanisms/thresholds/threshold_rules.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/rng.h"

namespace sotto {

// Tests integer queries of sensitivity 1 with fresh noise on each and none on
// the thresholds, and halts after `reports` charged answers. The rule says what
// is answered and charged: MultiAboveThreshold, BetweenThresholds.
//
// Guarantee: (epsilon, delta)-DP against adaptive queries, up to 2^49 of them.
// Proof:     multi_above_threshold.md, between_thresholds.md.
// Threads:   not thread-safe.
template <typename Rule>
class FreshNoiseBand : public Rule {
 public:
  using Answer = typename Rule::Answer;
  using Params = typename Rule::Params;

  // Fails with kInvalidArgument unless epsilon is in (0, 16], reports in
  // [1, 2^32], thresholds in [-2^60, 2^60], 1 to 2^40 integers between two of
  // them, the rate 0 or in [2^-30, 64]; with kNotConverged or kBudgetExhausted
  // if the target cannot be met.
  static Result<FreshNoiseBand> Create(const Params& params);

  Answer Test(std::int64_t value, Rng& rng) {
    if (halted()) return Rule::Halted();
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

  double NoiseDeviation() const { return LaplaceDeviation(rate_); }
  // A w such that with probability at least 1 - failure every one of the first
  // `tests` queries that is w or more away from the threshold, and is answered
  // at all, is answered rightly (multi_above_threshold.md, step 5). `failure`
  // is in (0, 1). One threshold only.
  std::int64_t ErrorBound(std::uint64_t tests, double failure)
      const requires std::is_base_of_v<OneThreshold, Rule>;

  void Save(ByteWriter& writer) const;
  // Fails with kFailedPrecondition if the state belongs to other parameters,
  // with kCorruption if it is invalid.
  static Result<FreshNoiseBand> Load(const Params& params, ByteReader& reader);

 private:
  template <typename M>
  friend class ThresholdStream;
  template <typename M, typename A>
  friend void TestInBatches(M&, std::span<const std::int64_t>, std::span<A>,
                            Rng&);

  FreshNoiseBand(const Params& params, double rate, Guarantee guarantee,
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
