#pragma once

#include <cstdint>

#include "sotto/base/result.h"

namespace sotto {

// How much noise OnlineThresholds needs: from (epsilon, delta, horizon) to a
// budget, and from the budget and a noisy number of points to a plan.
//
//   auto budget = OnlineThresholdsBudget::Create(
//       {.epsilon = 1, .delta = 1e-6, .horizon = 100'000});
//   if (!budget) return budget.error();
//   auto plan = budget->PlanFor(noisy_size);
//   double scale = 1 / plan->rate;
//
// The budget is a log-moment at one order, fixed before anything is released:
// so the plan may depend on what was released before it.
//
// Guarantee: size_variance, then any plan, then `tests` paid tests and `values`
//            releases on every region together meet (epsilon, delta), the
//            samplers' slack included.
// Proof:     online_thresholds.md, steps 2 to 4.
// Threads:   value types.
struct OnlineThresholdsPlan {
  double rate = 0;                  // e0, of the tests
  std::int64_t band = 1;            // integers for which a test is paid
  std::int64_t value_variance = 1;  // of the discrete Gaussian on a value
  std::int64_t size_variance = 1;   // of that on the number of records
  std::int64_t tests = 1;           // paid tests that may count one record
  std::int64_t values = 1;          // value releases that may, size included
  std::int64_t width = 1;           // of a gap that is not divided any more
  std::int64_t max_depth = 6;       // of chains of references, aimed at
  int votes = 3;                    // equal draws that decide a test
  std::int64_t max_parts = 1;       // test positions in a gap

  friend bool operator==(const OnlineThresholdsPlan&,
                         const OnlineThresholdsPlan&) = default;

  // Upper bound on the decisions in a query: ceil(log2(max_parts)).
  int SearchDepth() const;
  // With probability 1 - failure, none of `decisions` decisions is wrong by
  // more than this (step 7).
  std::int64_t DecisionError(double decisions, double failure) const;
  // With probability 1 - failure, the released size is off by at most
  // SizeError, and for every i the sum of the noise of release i and of any
  // depth - 1 releases between the size (1) and it by at most
  // ValueError(i, depth), however they are chosen (step 6).
  std::int64_t SizeError(double failure) const;
  std::int64_t ValueError(std::int64_t index, std::int64_t depth,
                          double failure) const;
};

class OnlineThresholdsBudget {
 public:
  struct Params {
    double epsilon = 0;
    double delta = 0;
    std::uint64_t horizon = 0;
  };
  static constexpr std::uint64_t kMaxHorizon = std::uint64_t{1} << 40;
  static constexpr std::int64_t kMaxTests = 40;
  static constexpr std::int64_t kMaxParts = std::int64_t{1} << 42;

  // Fails with kInvalidArgument unless epsilon is in [2^-10, 16], delta in
  // (0, 1/2] and horizon in [1, kMaxHorizon]; with kNotConverged if no noise up
  // to a scale of 2^25 meets the target, or delta is below the samplers' slack.
  static Result<OnlineThresholdsBudget> Create(const Params& params);

  std::int64_t size_variance() const { return size_variance_; }
  double order() const { return order_; }

  // The least noise for a data set of about `size` points.
  Result<OnlineThresholdsPlan> PlanFor(std::int64_t size) const;

  // The log-moment at order() of the size and of the whole plan, rounded up.
  double Spent(const OnlineThresholdsPlan& plan) const;
  double log_moment() const { return log_moment_; }
  // Delta at the epsilon that was asked for, the samplers' slack included,
  // rounded up: the maximum over all plans, as the choice depends on data,
  // or of this plan if it spends more.
  double Delta(const OnlineThresholdsPlan& plan) const;

 private:
  OnlineThresholdsBudget() = default;
  Result<OnlineThresholdsPlan> LeastNoise(std::int64_t tests) const;

  Params params_;
  double order_ = 0;
  double log_moment_ = 0;  // of everything, rounded down
  std::int64_t size_variance_ = 1;
};

// The log-moment of `tests` paid tests and `values` releases, rounded up.
double OnlineThresholdsLogMoment(const OnlineThresholdsPlan& plan,
                                 std::int64_t tests, std::int64_t values,
                                 double order);

}  // namespace sotto
