#pragma once

#include <cstdint>
#include <vector>

namespace sotto {

// The coefficients that spread a batch's gradient over the releases after it:
//
//   c_0 = 1,  c_j = sum over i of w_i (1 - mu_i)^(j - 1),
//
// close to 1 / sqrt(1 - rho x), rho = 1 - 1 / memory. All of them are dyadic,
// and a batch is forgotten for good at the end of the epoch after its own, so
// that what one row can do ends, too.
//
//   const TideFilter filter = TideFilter::ForMemory(142);
//   filter.Norm();           // |c|, rounded up
//   filter.RoundingUnits();  // u of tide.md
//
// Proof:   tide.md, steps 4 and 5.
// Threads: a value type.
struct TideFilter {
  struct Buffer {
    std::uint32_t loss;    // mu = loss / 2^32, at least 2^-13
    std::uint32_t weight;  // w = weight / 2^32
    friend bool operator==(const Buffer&, const Buffer&) = default;
  };
  static constexpr int kBits = 32;
  static constexpr int kStateBits = 12;  // fraction of the buffers
  static constexpr std::uint64_t kLeastMemory = 2;
  static constexpr std::uint64_t kMaxMemory = 4096;
  static constexpr std::uint64_t kEpochsOfMemory = 3;

  // Requires memory in [kLeastMemory, kMaxMemory].
  static TideFilter ForMemory(std::uint64_t memory);

  // The l2 norm of c over all steps, without the forgetting, which only makes
  // it smaller.
  double Norm() const;
  // Maximum that rounding adds to one coordinate of one release.
  double RoundingUnits() const;

  std::vector<Buffer> buffers;
  std::uint64_t epoch = 1;  // steps

  friend bool operator==(const TideFilter&, const TideFilter&) = default;
};

}  // namespace sotto
