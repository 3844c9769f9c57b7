#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/thresholds/above_threshold.h"
#include "sotto/mechanisms/thresholds/multi_above_threshold.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"
#include "sotto/random/rng.h"

namespace sotto {

// The sparse vector technique: which of a stream of integer queries of
// sensitivity 1 reach a threshold, up to `reports` of them, for one (epsilon,
// delta). Takes the form with the least noise in a test.
//
//   auto test = SparseVector::Create({.epsilon = 1, .delta = 1e-6,
//                                     .threshold = 500, .reports = 100});
//   if (!test) return test.error();
//   if (test->Test(count, rng) == ThresholdAnswer::kAbove) ...
//
// "Least noise" is the standard deviation of everything random in one test,
// the threshold's noise included. At (1, 1e-6) a noisy threshold wins up to
// about 25 reports (monotone queries: 85), fresh noise alone above.
//
// Guarantee: (epsilon, delta)-DP against adaptive queries; delta is only the
//            samplers' slack where a noisy threshold is kept.
// Proof:     sparse_vector.md, next to this file.
// Threads:   not thread-safe.
class SparseVector {
 public:
  using Answer = ThresholdAnswer;

  enum class Form {
    kNoisyThreshold,    // AboveThreshold, one threshold noise, pure
    kRedrawnThreshold,  // AboveThreshold, a new one after every report
    kFreshNoise,        // MultiAboveThreshold
  };

  struct Params {
    double epsilon = 0;
    double delta = 0;  // 0: kNoisyThreshold is the only form
    std::int64_t threshold = 0;
    std::int64_t reports = 1;
    bool monotone = false;
    Charge charge = Charge::kAbove;  // kBelow: aboves are free
    std::optional<Form> form = std::nullopt;
  };

  // Fails as the forms do, if none of those allowed can be had.
  static Result<SparseVector> Create(const Params& params);

  Answer Test(std::int64_t value, Rng& rng);
  void TestBatch(std::span<const std::int64_t> values,
                 std::span<Answer> answers, Rng& rng);

  bool halted() const;
  std::int64_t reports_left() const;
  Form form() const { return form_; }
  // 1 / scale of the noise on each query.
  double query_rate() const;
  double NoiseDeviation() const;
  // A w such that with probability at least 1 - failure every one of the first
  // `tests` queries that is w or more away from the threshold, and is answered
  // at all, is answered rightly. `failure` is in (0, 1).
  std::int64_t ErrorBound(std::uint64_t tests, double failure) const;
  const Guarantee& guarantee() const;

  void Save(ByteWriter& writer) const;
  static Result<SparseVector> Load(const Params& params, ByteReader& reader);

 private:
  using Mechanism = std::variant<AboveThreshold, MultiAboveThreshold>;

  SparseVector(Form form, Mechanism test)
      : form_(form), test_(std::move(test)) {}

  static Result<SparseVector> CreateForm(const Params& params, Form form);

  Form form_;
  Mechanism test_;
};

// "noisy threshold", "redrawn threshold", "fresh noise".
std::string_view ToString(SparseVector::Form form);

}  // namespace sotto
