#pragma once

#include <cstddef>
#include <cstdint>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/rational.h"
#include "sotto/base/result.h"

namespace sotto {

// The largest weights with which the cover process keeps a promise.
//
//   auto weights = CoverCalibration::Create({.epsilon = 1, .delta = 1e-6,
//                                            .penalty = 5, .reward = 1,
//                                            .rounds = 30,
//                                            .candidates = 470});
//   if (!weights) return weights.error();
//   weights->rate()   // nats for one unit of a rule's score
//
// The score of a rule is -penalty * wrong + reward * right, an integer; `right`
// may be cut off anywhere, as that only makes a row count for less.
//
// Paper:     [Winnow] Lemma 18 (kPaper: its constant, with Proposition 3).
// Guarantee: delta() <= Params.delta, sampler included.
// Proof:     cover_delta.md.
// Threads:   a value type.
class CoverCalibration {
 public:
  enum class Method { kExact, kPaper };
  struct Params {
    double epsilon = 0;
    double delta = 0;
    Relation relation = Relation::kReplace;
    std::uint32_t penalty = 1;
    std::uint32_t reward = 0;
    std::uint32_t rounds = 1;
    std::size_t candidates = 2;
    Method method = Method::kExact;

    friend bool operator==(const Params&, const Params&) = default;
  };

  // Above this many rounds a limit on them gains little, and is not used.
  static constexpr std::uint32_t kMaxLimitedRounds = 100;

  // Fails with kInvalidArgument where epsilon is not in [0.001, 100] or delta
  // not in [1e-12, 0.5], with more than 100 units or 2^24 candidates, and where
  // the relation is not one of rows.
  static Result<CoverCalibration> Create(const Params& params);

  const Rational& rate() const { return rate_; }
  // Proved for rate(): at most the delta asked for.
  double delta() const { return delta_; }
  const Params& params() const { return params_; }

 private:
  static Result<CoverCalibration> Compute(const Params& params);
  CoverCalibration(const Params& params, const Rational& rate, double delta)
      : params_(params), rate_(rate), delta_(delta) {}

  Params params_;
  Rational rate_;
  double delta_;
};

}  // namespace sotto
