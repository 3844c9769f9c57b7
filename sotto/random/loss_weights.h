#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sotto/base/int128.h"
#include "sotto/base/rational.h"
#include "sotto/base/result.h"

namespace sotto {

// Integer weights for drawing candidates by their loss. Each unit of loss
// lowers the weight by a factor of at most e^rate.
//
//   auto weights = LossWeights::Create(*Rational::Create(1, 2), 90);
//   Uint128 w = (*weights)(errors - least_errors);
//
// The weights are rounded up at every step, so that two of them, for losses
// that differ by d, differ by a factor of at most e^(rate d) exactly, and none
// is 0. Draws in proportion to these weights have a pure guarantee, without
// slack for a sampler.
//
// Guarantee: (*this)(x + 1) <= (*this)(x) <= e^rate (*this)(x + 1), exactly.
// Proof:     loss_weights.md.
// Threads:   immutable; calls may run at the same time.
class LossWeights {
 public:
  static constexpr int kMaxBits = 110;

  // The weight of no loss is 2^bits. Fails with kInvalidArgument unless rate is
  // in [2^-16, 64] and bits in [40, kMaxBits].
  static Result<LossWeights> Create(const Rational& rate, int bits);

  Uint128 operator()(std::uint64_t loss) const {
    return table_[std::min<std::uint64_t>(loss, table_.size() - 1)];
  }
  // The loss from which all weights equal the minimum.
  std::size_t flat() const { return table_.size() - 1; }
  Uint128 least() const { return table_.back(); }

 private:
  explicit LossWeights(std::vector<Uint128> table) : table_(std::move(table)) {}

  std::vector<Uint128> table_;
};

}  // namespace sotto
