#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sotto/base/int128.h"

namespace sotto {

// The pair of filters behind SquareRootCounter: c, which the data goes through
// before the noise, and b = 1 / ((1 - x) c), which turns noisy answers into
// running counts. c is close to 1 / sqrt(1 - x), whose memory is all the past,
// but has the coefficients
//
//   c_0 = 1,  c_j = sum over i of w_i (1 - mu_i)^(j-1)
//
// of a few exponentials, whose memory is one number each.
//
//   SquareRootFilter filter = SquareRootFilter::Best(1'000'000);
//   double sensitivity = filter.Sensitivity(20, 1'000'000);  // 2.3 * 2^20
//
// Proof:   square_root_counter.md, steps 1 to 3 and 6.
// Threads: a value type.
struct SquareRootFilter {
  struct Buffer {
    std::uint64_t loss;    // mu = loss / 2^64, in (0, 1)
    std::uint32_t weight;  // w = weight / 2^32
    friend bool operator==(const Buffer&, const Buffer&) = default;
  };
  // The fixed point of the buffers, of what is weighted, and of the weights.
  static constexpr int kStateBits = 44;
  static constexpr int kWeighedBits = 28;
  static constexpr int kWeightBits = 32;

  // Near-optimal for the error at step `horizon`: a quadrature of the integral
  // that gives 1 / sqrt(1 - x), improved by a few hundred trials. The number of
  // buffers grows with ln(horizon).
  static SquareRootFilter Best(std::uint64_t horizon);

  // An upper bound on the l2 norm of the change of the integers
  // y_t = 2^scale_bits * (c applied to the counts), as rounded by
  // ExponentialBuffers, if one of `horizon` counts changes by one.
  double Sensitivity(int scale_bits, std::uint64_t horizon) const;

  // |y_t - 2^scale_bits (c applied to the counts)| and, for neighbours,
  // |change of y_t - 2^scale_bits c_j| are below this.
  double RoundingUnits(int scale_bits) const;

  std::vector<Buffer> buffers;  // the slowest first
};

// sum over j < t of b_j^2 and of b_j, in closed form: b_j = limit + sum over i
// of share_i (1 - loss_i)^j with all terms positive.
class InverseFilter {
 public:
  explicit InverseFilter(const SquareRootFilter& filter);

  double SumOfSquares(double steps) const;
  double Sum(double steps) const;

 private:
  struct Term {
    double loss;
    double share;
  };
  std::vector<Term> terms_;  // the last is the limit, with loss 0
};

// The memory of one filter: for each buffer the sum of the past inputs, each
// multiplied by (1 - mu)^age, in fixed point with deterministic rounding.
class ExponentialBuffers {
 public:
  explicit ExponentialBuffers(const SquareRootFilter& filter)
      : buffers_(filter.buffers), state_(filter.buffers.size(), 0) {}

  // sum of w_i * state_i, in units of 2^-(kWeighedBits + kWeightBits).
  Int128 Weighted() const {
    constexpr int kDropped =
        SquareRootFilter::kStateBits - SquareRootFilter::kWeighedBits;
    Int128 sum = 0;
    for (std::size_t i = 0; i < state_.size(); ++i) {
      sum += (state_[i] >> kDropped) * static_cast<Int128>(buffers_[i].weight);
    }
    return sum;
  }
  // The filter's answer to `count`, rounded to units of 2^-scale_bits: the
  // integer whose sensitivity SquareRootFilter bounds.
  Int128 Filtered(std::uint64_t count, int scale_bits) const {
    constexpr int kProductBits =
        SquareRootFilter::kWeighedBits + SquareRootFilter::kWeightBits;
    return (static_cast<Int128>(count) << scale_bits) +
           (Weighted() >> (kProductBits - scale_bits));
  }
  // Ages the past by one step and adds `input`, in units of 2^-kStateBits.
  void Push(Int128 input) {
    for (std::size_t i = 0; i < state_.size(); ++i) {
      state_[i] += input - Lost(state_[i], buffers_[i].loss);
    }
  }

  const std::vector<Int128>& state() const { return state_; }
  void SetState(std::vector<Int128> state) { state_ = std::move(state); }

 private:
  // floor(state * loss / 2^64), exactly.
  static Int128 Lost(Int128 state, std::uint64_t loss) {
    const Int128 high = state >> 64;
    const auto low = static_cast<std::uint64_t>(state);
    return high * static_cast<Int128>(loss) +
           static_cast<Int128>((Uint128{low} * loss) >> 64);
  }

  std::vector<SquareRootFilter::Buffer> buffers_;
  std::vector<Int128> state_;
};

}  // namespace sotto
