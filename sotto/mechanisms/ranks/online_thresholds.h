#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/ranks/online_thresholds_line.h"
#include "sotto/mechanisms/ranks/online_thresholds_plan.h"
#include "sotto/mechanisms/ranks/online_thresholds_search.h"
#include "sotto/random/fixed_work_gaussian.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/rng.h"

namespace sotto {

// How many records of a fixed private data set of real numbers are less than x?
// For up to `horizon` adaptively chosen x, with an error that grows with the
// logarithm of the horizon and of the number of records. The reals need no
// grid and no bounds.
//
//   auto ranks = OnlineThresholds::Create(
//       {.epsilon = 1, .delta = 1e-6, .horizon = 100'000}, data, rng);
//   if (!ranks) return ranks.error();
//   auto answer = ranks->Query(37.5, rng);
//   Use(answer->estimate, answer->error);
//
// Paper:     [COUNTERS] the problem of Theorem 1.9; the construction is new.
// Guarantee: (epsilon, delta)-DP if one record is added or removed, queries
//            chosen adaptively. For one record replaced by another: two such
//            steps (group_privacy.h).
// Proof:     online_thresholds.md.
// Threads:   not thread-safe.
class OnlineThresholds {
 public:
  struct Params {
    double epsilon = 0;
    double delta = 0;
    std::uint64_t horizon = 0;  // T
    double failure = 0.05;      // beta, of the error bounds
  };

  struct Answer {
    std::int64_t estimate = 0;
    // With probability 1 - failure, no answer ever is off by more than its own.
    std::int64_t error = 0;
    friend bool operator==(const Answer&, const Answer&) = default;
  };

  // Sorts the data and releases their noisy number. NaN records are never
  // counted.
  // Fails as OnlineThresholdsBudget does, and with kInvalidArgument unless
  // failure is in (0, 1). A failure depends on the data only through the noisy
  // number.
  static Result<OnlineThresholds> Create(const Params& params,
                                         std::vector<double> data, Rng& rng);

  // Fails with kInvalidArgument if x is NaN and with kFailedPrecondition after
  // `horizon` queries, and changes nothing; never because of the data.
  Result<Answer> Query(double x, Rng& rng);

  std::uint64_t queries() const { return queries_; }
  std::uint64_t horizon() const { return params_.horizon; }
  // The released number of records.
  std::int64_t size() const { return line_.pivots().back().value; }
  const PivotLine& line() const { return line_; }
  const OnlineThresholdsPlan& plan() const { return line_.plan(); }
  const Guarantee& guarantee() const { return guarantee_; }
  // The largest Answer::error so far.
  std::int64_t ErrorBound() const { return worst_; }

  // Saves the releases and nothing else of the data.
  void Save(ByteWriter& writer) const;
  // `data` must be what it was: with other data no guarantee holds. Fails with
  // kFailedPrecondition if the state belongs to other parameters, with
  // kCorruption if it makes no sense.
  static Result<OnlineThresholds> Load(const Params& params,
                                       std::vector<double> data,
                                       ByteReader& reader);

 private:
  struct Parts {
    PivotLine line;
    FixedWorkLaplace test_noise;
    FixedWorkGaussian value_noise;
    Guarantee guarantee;
  };
  OnlineThresholds(const Params& params, std::vector<double> sorted,
                   Parts parts)
      : params_(params),
        sorted_(std::move(sorted)),
        line_(std::move(parts.line)),
        test_noise_(std::move(parts.test_noise)),
        value_noise_(std::move(parts.value_noise)),
        guarantee_(std::move(parts.guarantee)),
        decision_error_(DecisionError(params, line_.plan())) {}

  // `delta`: of the line's plan.
  static Result<OnlineThresholds> Assemble(const Params& params,
                                           std::vector<double> sorted,
                                           PivotLine line, double delta);
  static std::int64_t DecisionError(const Params& params,
                                    const OnlineThresholdsPlan& plan);
  // Records less than x, by bisection.
  std::int64_t Rank(double x) const;
  Answer Middle(std::size_t gap) const;
  Answer Search(std::size_t gap, double x, Rng& rng);
  Answer MakePivot(std::size_t gap, double x, bool from_left, Rng& rng);

  Params params_;
  std::vector<double> sorted_;
  PivotLine line_;
  FixedWorkLaplace test_noise_;
  FixedWorkGaussian value_noise_;
  Guarantee guarantee_;
  std::int64_t decision_error_;
  std::uint64_t queries_ = 0;
  std::int64_t worst_ = 0;
};

}  // namespace sotto
