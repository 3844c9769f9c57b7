#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

namespace sotto {

// Copies that are scored side by side, and rounds that are. 24 x 8 scores are
// three AVX-512 vectors for each of eight rounds: 24 of 32 registers, and more
// than twice the 8 independent chains that two units of latency 4 need.
inline constexpr std::size_t kCopyLanes = 24;
inline constexpr std::size_t kRoundLanes = 8;

// For vectors of numbers that start on a cache line: no load of a kernel
// straddles two.
template <typename T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  CacheLineAllocator() = default;
  template <typename U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new(n * sizeof(T), kLine));
  }
  void deallocate(T* p, std::size_t) { ::operator delete(p, kLine); }
  friend bool operator==(CacheLineAllocator, CacheLineAllocator) {
    return true;
  }
};
using AlignedDoubles = std::vector<double, CacheLineAllocator<double>>;

// The weights of kCopyLanes copies: weights[row * kCopyLanes + c] is that of
// copy c. Both pointers are aligned to 64 bytes.
struct WeightBlock {
  const double* weights = nullptr;
  const double* next =
      nullptr;  // the block to fetch meanwhile; may be the same
  std::size_t rows = 0;
  std::uint32_t present = 0;  // bit c: there is a copy c, and its vote counts
};

// Up to kRoundLanes rounds, packed. values[i * lanes + r] is what round r has
// in row rows[i] of the weights; rows ascend; tiles of kRoundLanes lanes are
// aligned to 64 bytes. The bias is a row like any other.
struct RoundTile {
  const std::uint32_t* rows = nullptr;
  const double* values = nullptr;
  std::size_t size = 0;    // how many rows
  std::size_t lanes = 0;   // 1 or kRoundLanes
  std::size_t first = 0;   // the first round
  std::size_t rounds = 0;  // how many rounds, at most `lanes`
};

// The instructions a kernel uses. All give the same bits.
enum class LinearPath { kPlain, kAvx2, kAvx512 };

// Computes votes (score >= 0), where each score is
//
//   acc = 0;  for i in 0..size-1:  acc = fma(weight[rows[i]], values[i], acc)
//
// with one accumulator for each copy and round, rows in order. Vectors run
// across copies or rounds, never along a sum.
//
//   const LinearKernel kernel = FindLinearKernel(BestLinearPath());
//   kernel.block_votes(block, tiles, masks, votes);
//
// Proof: linear_ensemble.md, steps 1 to 3.
// Threads: pure functions.
struct LinearKernel {
  // All copies of a block in all rounds of the tiles: bit c of masks[round] is
  // the vote of copy c; the present ones are added to votes[round].
  void (*block_votes)(const WeightBlock& block,
                      std::span<const RoundTile> tiles, std::uint32_t* masks,
                      std::int64_t* votes);
  // One copy: bit r of votes[t] is round r of tiles[t]. The copy's weights are
  // weights[row * kCopyLanes].
  void (*copy_votes)(const double* weights, std::span<const RoundTile> tiles,
                     std::uint8_t* votes);
};

bool IsSupported(LinearPath path);
// The fastest path this machine supports.
LinearPath BestLinearPath();
// Requires IsSupported(path).
LinearKernel FindLinearKernel(LinearPath path);

}  // namespace sotto
