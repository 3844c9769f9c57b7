#include "sotto/learners/ensembles/linear_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// One body for each instruction set. The compiler may not contract or reorder
// any of it: every operation is an explicit fma.

namespace sotto {
namespace {

// The number of leading tiles with the same rows and width, at most `limit`.
std::size_t AlikeTiles(std::span<const RoundTile> tiles, std::size_t limit) {
  std::size_t alike = 1;
  while (alike < limit && alike < tiles.size() &&
         tiles[alike].rows == tiles[0].rows &&
         tiles[alike].lanes == tiles[0].lanes) {
    ++alike;
  }
  return alike;
}

using CopyKernel = void (*)(const double*, const RoundTile*, std::uint8_t*);

// `kernels[n - 1]` takes n tiles of the same shape: n independent chains of
// additions, which hide latency.
template <std::size_t kMost>
void CopyVotes(const CopyKernel (&kernels)[kMost], CopyKernel one_round,
               const double* weights, std::span<const RoundTile> tiles,
               std::uint8_t* votes) {
  while (!tiles.empty()) {
    std::size_t taken = 1;
    if (tiles[0].lanes == 1) {
      one_round(weights, tiles.data(), votes);
    } else {
      taken = AlikeTiles(tiles, kMost);
      kernels[taken - 1](weights, tiles.data(), votes);
    }
    tiles = tiles.subspan(taken);
    votes += taken;
  }
}

// Inlined, so that it counts bits with the instructions of its caller.
template <auto kManyRounds, auto kOneRound>
[[gnu::always_inline]] inline void BlockVotes(const WeightBlock& block,
                                              std::span<const RoundTile> tiles,
                                              std::uint32_t* masks,
                                              std::int64_t* votes) {
  constexpr std::size_t kLine = 64 / sizeof(double);
  // A share of the next block is fetched with each tile, unless that is more
  // than a tile can hide, or more than the tiles will touch.
  constexpr std::size_t kMostLines = 32;
  const std::size_t lines = block.rows * kCopyLanes / kLine;
  const std::size_t share = lines / tiles.size() + 1;
  const std::size_t size = share <= kMostLines ? lines * kLine : 0;
  std::size_t fetched = 0;
  for (const RoundTile& tile : tiles) {
    const std::size_t end = std::min(fetched + share * kLine, size);
    for (; fetched < end; fetched += kLine) {
      __builtin_prefetch(block.next + fetched, 0, 2);
    }
    std::uint32_t lanes[kRoundLanes];
    if (tile.lanes == 1) {
      kOneRound(block.weights, tile, lanes);
    } else {
      kManyRounds(block.weights, tile, lanes);
    }
    for (std::size_t r = 0; r < tile.rounds; ++r) {
      masks[tile.first + r] = lanes[r];
      votes[tile.first + r] += std::popcount(lanes[r] & block.present);
    }
  }
}

template <std::size_t kLanes>
void PlainBlock(const double* weights, const RoundTile& tile,
                std::uint32_t* masks) {
  for (std::size_t r = 0; r < kLanes; ++r) {
    double scores[kCopyLanes] = {};
    for (std::size_t i = 0; i < tile.size; ++i) {
      const double* const row = weights + tile.rows[i] * kCopyLanes;
      const double x = tile.values[i * kLanes + r];
      for (std::size_t c = 0; c < kCopyLanes; ++c) {
        scores[c] = std::fma(row[c], x, scores[c]);
      }
    }
    masks[r] = 0;
    for (std::size_t c = 0; c < kCopyLanes; ++c) {
      masks[r] |= static_cast<std::uint32_t>(scores[c] >= 0) << c;
    }
  }
}

void PlainCopy(const double* weights, const RoundTile* tile,
               std::uint8_t* votes) {
  double scores[kRoundLanes] = {};
  for (std::size_t i = 0; i < tile->size; ++i) {
    const double weight = weights[tile->rows[i] * kCopyLanes];
    for (std::size_t r = 0; r < kRoundLanes; ++r) {
      scores[r] =
          std::fma(weight, tile->values[i * kRoundLanes + r], scores[r]);
    }
  }
  unsigned bits = 0;
  for (std::size_t r = 0; r < kRoundLanes; ++r) {
    bits |= static_cast<unsigned>(scores[r] >= 0) << r;
  }
  *votes = static_cast<std::uint8_t>(bits);
}

void PlainRound(const double* weights, const RoundTile* tile,
                std::uint8_t* votes) {
  double score = 0;
  for (std::size_t i = 0; i < tile->size; ++i) {
    score =
        std::fma(weights[tile->rows[i] * kCopyLanes], tile->values[i], score);
  }
  *votes = static_cast<std::uint8_t>(score >= 0);
}

#if defined(__x86_64__)

#define SOTTO_AVX512 __attribute__((target("avx512f,avx2,fma,popcnt")))
#define SOTTO_AVX2 __attribute__((target("avx2,fma,popcnt")))

template <std::size_t kLanes>
SOTTO_AVX512 void Avx512Block(const double* weights, const RoundTile& tile,
                              std::uint32_t* masks) {
  const std::uint32_t* const rows = tile.rows;
  const double* x = tile.values;
  const std::size_t size = tile.size;
  __m512d scores[kLanes][3];
#pragma GCC unroll 8
  for (auto& round : scores) {
    round[0] = round[1] = round[2] = _mm512_setzero_pd();
  }
  for (std::size_t i = 0; i < size; ++i, x += kLanes) {
    const double* const row = weights + rows[i] * kCopyLanes;
    const __m512d w0 = _mm512_load_pd(row);
    const __m512d w1 = _mm512_load_pd(row + 8);
    const __m512d w2 = _mm512_load_pd(row + 16);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kLanes; ++r) {
      const __m512d value = _mm512_set1_pd(x[r]);
      scores[r][0] = _mm512_fmadd_pd(w0, value, scores[r][0]);
      scores[r][1] = _mm512_fmadd_pd(w1, value, scores[r][1]);
      scores[r][2] = _mm512_fmadd_pd(w2, value, scores[r][2]);
    }
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kLanes; ++r) {
    std::uint32_t mask = 0;
#pragma GCC unroll 3
    for (unsigned v = 0; v < 3; ++v) {
      const std::uint32_t part =
          _mm512_cmp_pd_mask(scores[r][v], _mm512_setzero_pd(), _CMP_GE_OQ);
      mask |= part << (8 * v);
    }
    masks[r] = mask;
  }
}

template <std::size_t kTiles>
SOTTO_AVX512 void Avx512Copy(const double* weights, const RoundTile* tiles,
                             std::uint8_t* votes) {
  const std::uint32_t* const rows = tiles[0].rows;
  const std::size_t size = tiles[0].size;
  const double* x[kTiles];
  __m512d scores[kTiles];
#pragma GCC unroll 8
  for (std::size_t t = 0; t < kTiles; ++t) {
    x[t] = tiles[t].values;
    scores[t] = _mm512_setzero_pd();
  }
  for (std::size_t i = 0; i < size; ++i) {
    const __m512d weight = _mm512_set1_pd(weights[rows[i] * kCopyLanes]);
#pragma GCC unroll 8
    for (std::size_t t = 0; t < kTiles; ++t) {
      const __m512d values = _mm512_load_pd(x[t] + i * kRoundLanes);
      scores[t] = _mm512_fmadd_pd(weight, values, scores[t]);
    }
  }
#pragma GCC unroll 8
  for (std::size_t t = 0; t < kTiles; ++t) {
    votes[t] = static_cast<std::uint8_t>(
        _mm512_cmp_pd_mask(scores[t], _mm512_setzero_pd(), _CMP_GE_OQ));
  }
}

SOTTO_AVX2 unsigned Avx2Bits(__m256d scores) {
  return static_cast<unsigned>(_mm256_movemask_pd(
      _mm256_cmp_pd(scores, _mm256_setzero_pd(), _CMP_GE_OQ)));
}

// Half a block (three vectors of four copies) in kRounds rounds.
template <std::size_t kLanes, std::size_t kRounds>
SOTTO_AVX2 void Avx2HalfBlock(const double* weights, const RoundTile& tile,
                              std::size_t first, std::uint32_t* halves) {
  const std::uint32_t* const rows = tile.rows;
  const double* x = tile.values + first;
  const std::size_t size = tile.size;
  __m256d scores[kRounds][3];
#pragma GCC unroll 4
  for (auto& round : scores) {
    round[0] = round[1] = round[2] = _mm256_setzero_pd();
  }
  for (std::size_t i = 0; i < size; ++i, x += kLanes) {
    const double* const row = weights + rows[i] * kCopyLanes;
    const __m256d w0 = _mm256_load_pd(row);
    const __m256d w1 = _mm256_load_pd(row + 4);
    const __m256d w2 = _mm256_load_pd(row + 8);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRounds; ++r) {
      const __m256d value = _mm256_broadcast_sd(x + r);
      scores[r][0] = _mm256_fmadd_pd(w0, value, scores[r][0]);
      scores[r][1] = _mm256_fmadd_pd(w1, value, scores[r][1]);
      scores[r][2] = _mm256_fmadd_pd(w2, value, scores[r][2]);
    }
  }
#pragma GCC unroll 4
  for (std::size_t r = 0; r < kRounds; ++r) {
    halves[r] = Avx2Bits(scores[r][0]) | Avx2Bits(scores[r][1]) << 4 |
                Avx2Bits(scores[r][2]) << 8;
  }
}

template <std::size_t kLanes>
SOTTO_AVX2 void Avx2Block(const double* weights, const RoundTile& tile,
                          std::uint32_t* masks) {
  constexpr std::size_t kHalf = kCopyLanes / 2;
  constexpr std::size_t kRounds = kLanes < 4 ? kLanes : 4;
  for (std::size_t r = 0; r < kLanes; r += kRounds) {
    std::uint32_t low[kRounds];
    std::uint32_t high[kRounds];
    Avx2HalfBlock<kLanes, kRounds>(weights, tile, r, low);
    Avx2HalfBlock<kLanes, kRounds>(weights + kHalf, tile, r, high);
    for (std::size_t j = 0; j < kRounds; ++j) {
      masks[r + j] = low[j] | high[j] << kHalf;
    }
  }
}

template <std::size_t kTiles>
SOTTO_AVX2 void Avx2Copy(const double* weights, const RoundTile* tiles,
                         std::uint8_t* votes) {
  const std::uint32_t* const rows = tiles[0].rows;
  const std::size_t size = tiles[0].size;
  const double* x[kTiles];
  __m256d scores[kTiles][2];
#pragma GCC unroll 4
  for (std::size_t t = 0; t < kTiles; ++t) {
    x[t] = tiles[t].values;
    scores[t][0] = scores[t][1] = _mm256_setzero_pd();
  }
  for (std::size_t i = 0; i < size; ++i) {
    const __m256d weight = _mm256_broadcast_sd(weights + rows[i] * kCopyLanes);
#pragma GCC unroll 4
    for (std::size_t t = 0; t < kTiles; ++t) {
      const double* const values = x[t] + i * kRoundLanes;
      scores[t][0] =
          _mm256_fmadd_pd(weight, _mm256_load_pd(values), scores[t][0]);
      scores[t][1] =
          _mm256_fmadd_pd(weight, _mm256_load_pd(values + 4), scores[t][1]);
    }
  }
#pragma GCC unroll 4
  for (std::size_t t = 0; t < kTiles; ++t) {
    votes[t] = static_cast<std::uint8_t>(Avx2Bits(scores[t][0]) |
                                         Avx2Bits(scores[t][1]) << 4);
  }
}

// As PlainRound, with the machine's fma instead of a call.
SOTTO_AVX2 void FmaRound(const double* weights, const RoundTile* tile,
                         std::uint8_t* votes) {
  double score = 0;
  for (std::size_t i = 0; i < tile->size; ++i) {
    score = __builtin_fma(weights[tile->rows[i] * kCopyLanes], tile->values[i],
                          score);
  }
  *votes = static_cast<std::uint8_t>(score >= 0);
}

SOTTO_AVX512 void Avx512Blocks(const WeightBlock& block,
                               std::span<const RoundTile> tiles,
                               std::uint32_t* masks, std::int64_t* votes) {
  BlockVotes<Avx512Block<kRoundLanes>, Avx512Block<1>>(block, tiles, masks,
                                                       votes);
}

SOTTO_AVX2 void Avx2Blocks(const WeightBlock& block,
                           std::span<const RoundTile> tiles,
                           std::uint32_t* masks, std::int64_t* votes) {
  BlockVotes<Avx2Block<kRoundLanes>, Avx2Block<1>>(block, tiles, masks, votes);
}

void Avx512Copies(const double* weights, std::span<const RoundTile> tiles,
                  std::uint8_t* votes) {
  static constexpr CopyKernel kKernels[] = {
      Avx512Copy<1>, Avx512Copy<2>, Avx512Copy<3>, Avx512Copy<4>,
      Avx512Copy<5>, Avx512Copy<6>, Avx512Copy<7>, Avx512Copy<8>};
  CopyVotes(kKernels, FmaRound, weights, tiles, votes);
}

void Avx2Copies(const double* weights, std::span<const RoundTile> tiles,
                std::uint8_t* votes) {
  static constexpr CopyKernel kKernels[] = {Avx2Copy<1>, Avx2Copy<2>,
                                            Avx2Copy<3>, Avx2Copy<4>};
  CopyVotes(kKernels, FmaRound, weights, tiles, votes);
}

#undef SOTTO_AVX2
#undef SOTTO_AVX512

#endif

void PlainBlocks(const WeightBlock& block, std::span<const RoundTile> tiles,
                 std::uint32_t* masks, std::int64_t* votes) {
  BlockVotes<PlainBlock<kRoundLanes>, PlainBlock<1>>(block, tiles, masks,
                                                     votes);
}

void PlainCopies(const double* weights, std::span<const RoundTile> tiles,
                 std::uint8_t* votes) {
  static constexpr CopyKernel kKernels[] = {PlainCopy};
  CopyVotes(kKernels, PlainRound, weights, tiles, votes);
}

}  // namespace

bool IsSupported(LinearPath path) {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 &&
                    __builtin_cpu_supports("fma") != 0 &&
                    __builtin_cpu_supports("popcnt") != 0;
  if (path == LinearPath::kAvx2) return avx2;
  if (path == LinearPath::kAvx512) {
    return avx2 && __builtin_cpu_supports("avx512f") != 0;
  }
#endif
  return path == LinearPath::kPlain;
}

LinearPath BestLinearPath() {
  if (IsSupported(LinearPath::kAvx512)) return LinearPath::kAvx512;
  if (IsSupported(LinearPath::kAvx2)) return LinearPath::kAvx2;
  return LinearPath::kPlain;
}

LinearKernel FindLinearKernel(LinearPath path) {
#if defined(__x86_64__)
  if (path == LinearPath::kAvx512) return {Avx512Blocks, Avx512Copies};
  if (path == LinearPath::kAvx2) return {Avx2Blocks, Avx2Copies};
#endif
  static_cast<void>(path);
  return {PlainBlocks, PlainCopies};
}

}  // namespace sotto
