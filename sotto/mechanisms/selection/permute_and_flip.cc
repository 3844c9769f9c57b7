#include "sotto/mechanisms/selection/permute_and_flip.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "sotto/accounting/rounding.h"
#include "sotto/base/int128.h"

namespace sotto {
namespace {

constexpr std::size_t kBatch = 256;

// Replaces each weight by 1 with probability weight / 2^bits, and else by 0;
// returns the number of ones.
std::uint64_t TossAll(int bits, std::span<Uint128> weights, Rng& rng) {
  std::array<std::uint64_t, 2 * kBatch> words;
  std::uint64_t heads = 0;
  for (std::size_t first = 0; first < weights.size(); first += kBatch) {
    const std::size_t count = std::min(kBatch, weights.size() - first);
    rng.Fill(std::span(words).first(2 * count));
    for (std::size_t i = 0; i < count; ++i) {
      const Uint128 word = Uint128{words[2 * i]} << 64 | words[2 * i + 1];
      Uint128& weight = weights[first + i];
      weight = static_cast<Uint128>((word >> (128 - bits)) < weight);
      heads += Low64(weight);
    }
  }
  return heads;
}

// floor(n * V / 2^128), V uniform below 2^128: within n / 2^128 of uniform.
std::uint64_t AlmostUniformBelow(std::uint64_t n, Rng& rng) {
  const Uint128 high = Uint128{n} * rng.Next();
  return High64(high + High64(Uint128{n} * rng.Next()));
}

}  // namespace

Result<PermuteAndFlip> PermuteAndFlip::Create(const Params& params) {
  SOTTO_TRY_ASSIGN(const auto rate, SelectionRate(params));
  SOTTO_TRY_ASSIGN(auto weights, ExponentialSelection::Create(rate));
  SOTTO_TRY_ASSIGN(auto guarantee, SelectionGuarantee(params));
  return PermuteAndFlip(params, rate, std::move(weights), std::move(guarantee));
}

Result<std::size_t> PermuteAndFlip::Select(std::span<const std::int64_t> scores,
                                           Rng& rng) const {
  if (scores.size() != params_.candidates) {
    return InvalidArgument("there must be one score for each candidate");
  }
  std::vector<std::int64_t> others;
  std::vector<Uint128> coins =
      weights_.Weights(WatchedScores(params_, scores, rng, others));
  // The best candidate's weight is a power of two, the same for all scores.
  Uint128 best = 0;
  for (const Uint128 weight : coins) best = std::max(best, weight);
  const int bits = High64(best) != 0 ? 127 - std::countl_zero(High64(best))
                                     : 63 - std::countl_zero(Low64(best));
  const std::uint64_t heads = TossAll(bits, coins, rng);
  const std::uint64_t target = AlmostUniformBelow(heads, rng);
  std::uint64_t seen = 0;
  std::size_t index = 0;
  for (const Uint128 coin : coins) {
    seen += Low64(coin);
    index += static_cast<std::size_t>(seen <= target);
  }
  return index;
}

std::int64_t PermuteAndFlip::LossBound(double failure) const {
  const auto n = static_cast<double>(params_.candidates);
  // Step 6. Where n * weight is small the first form would cancel, and the
  // second is an upper bound that is close.
  return LeastLoss(rate_.ToDoubleDown(), failure, [&](double weight) {
    if (n * weight < 1e-4) return (n - 1) * weight / 2;
    const double best_wins =
        -std::expm1(n * std::log1p(-weight)) / (n * weight);
    return InflateUp(1 - best_wins, 1e-10);
  });
}

}  // namespace sotto
