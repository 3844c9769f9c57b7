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

// Tells, for a stream of integer queries of sensitivity 1, whether each lies
// low, high or in the band between; only the band is paid for, and after
// `reports` answers in it the test halts.
//
//   auto test = BetweenThresholds::Create({.epsilon = 1, .delta = 1e-6,
//                                          .low = 400, .high = 600,
//                                          .reports = 50});
//   if (!test) return test.error();
//   const auto answer = test->Test(votes, rng);
//   if (answer.zone == BetweenThresholds::Zone::kMedium) Use(answer.noisy);
//
// Paper:     [PERP] Algorithm 3, with any band of at least one integer.
// Guarantee: (epsilon, delta)-DP against adaptive queries, even though the
//            noisy value is released in the band.
// Proof:     between_thresholds.md, next to this file.
// Threads:   not thread-safe.
class BetweenThresholds {
 public:
  struct Params {
    double epsilon = 0;
    double delta = 0;
    // With n the noisy value: low if n <= low, high if n >= high, else medium.
    std::int64_t low = 0;
    std::int64_t high = 0;
    std::int64_t reports = 1;
    // e0 by hand; delta is then computed if it is 0, and must be met if not.
    double rate = 0;
  };

  enum class Zone { kLow, kMedium, kHigh, kHalted };
  struct Answer {
    Zone zone = Zone::kHalted;
    std::int64_t noisy = 0;  // kMedium only, else 0
    friend bool operator==(const Answer&, const Answer&) = default;
  };

  // Fails with kInvalidArgument unless epsilon is in (0, 16], reports in
  // [1, 2^32], thresholds in [-2^60, 2^60] with 1 <= high - low - 1 <= 2^40;
  // with kNotConverged or kBudgetExhausted if the target cannot be met.
  static Result<BetweenThresholds> Create(const Params& params);

  Answer Test(std::int64_t value, Rng& rng) {
    if (halted()) return {};
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

  void Save(ByteWriter& writer) const;
  // Fails with kFailedPrecondition if the state belongs to other parameters,
  // with kCorruption if it makes no sense.
  static Result<BetweenThresholds> Load(const Params& params,
                                        ByteReader& reader);

  // The zone of a noisy value, for those who hold one.
  static Zone FindZone(std::int64_t noisy, std::int64_t low,
                       std::int64_t high) {
    if (noisy <= low) return Zone::kLow;
    return noisy >= high ? Zone::kHigh : Zone::kMedium;
  }

 private:
  template <typename M>
  friend class ThresholdStream;
  template <typename M, typename A>
  friend void TestInBatches(M&, std::span<const std::int64_t>, std::span<A>,
                            Rng&);

  BetweenThresholds(const Params& params, double rate, Guarantee guarantee,
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
