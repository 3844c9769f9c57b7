#pragma once

#include <cstdint>
#include <utility>

#include "sotto/base/rational.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"
#include "sotto/random/threshold_table.h"

namespace sotto {

// A coin that shows 1 with probability e^-rate, one comparison a toss.
//
//   auto coin = FixedWorkBernoulliExp::Create(*Rational::Create(1, 2));
//   bool heads = coin->Sample(rng);
//
// Guarantee: total-variation distance from the exact law at most
//            2^-TotalVariationLog2() per draw.
// Proof:     threshold_table.md, step 4.
// Threads:   immutable; const calls may run at the same time.
class FixedWorkBernoulliExp {
 public:
  // Fails with kInvalidArgument unless rate is in [2^-48, 64].
  static Result<FixedWorkBernoulliExp> Create(const Rational& rate);

  bool Sample(Rng& rng) const { return table_.Draw(rng) == 0; }

  static constexpr int TotalVariationLog2() { return 127; }

  // The implemented law, for those who check it.
  const ThresholdTable& table() const { return table_; }

 private:
  explicit FixedWorkBernoulliExp(ThresholdTable table)
      : table_(std::move(table)) {}

  ThresholdTable table_;
};

}  // namespace sotto
