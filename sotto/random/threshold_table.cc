#include "sotto/random/threshold_table.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "sotto/random/internal/vector_clones.h"

namespace sotto {
namespace {

constexpr std::size_t kLanes = 32;
static_assert(ThresholdTable::kBatch % kLanes == 0);

// The comparisons below are written as casts of bool and over arrays of fixed
// size because that is what g++ turns into vector code at every width.

// For every lane: draws |= (number of keys below the word) << shift. Returns
// non-zero if some word equals some key. Loops over public sizes only: no
// branch and no address depends on a word (threshold_table.md, step 3).
SOTTO_VECTOR_CLONES
std::int64_t CountKeysBelow(const std::int64_t* __restrict words,
                            const std::int64_t* __restrict keys,
                            std::size_t key_count, unsigned shift,
                            std::size_t lane_count,
                            std::int64_t* __restrict draws) {
  std::int64_t any_tie = 0;
  for (std::size_t first = 0; first < lane_count; first += kLanes) {
    std::int64_t below[kLanes] = {};
    std::int64_t tie[kLanes] = {};
    for (std::size_t k = 0; k < key_count; ++k) {
      const std::int64_t key = keys[k];
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::int64_t word = words[first + lane];
        below[lane] += static_cast<std::int64_t>(word > key);
        tie[lane] |= static_cast<std::int64_t>(word == key);
      }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      draws[first + lane] |= below[lane] << shift;
      any_tie |= tie[lane];
    }
  }
  return any_tie;
}

struct Count {
  std::int64_t below;
  std::int64_t tie;
};

// The same for one word.
SOTTO_VECTOR_CLONES
Count CountKeysBelow(std::int64_t word, const std::int64_t* keys,
                     std::size_t key_count) {
  std::int64_t below = 0;
  std::int64_t tie = 0;
  for (std::size_t k = 0; k < key_count; ++k) {
    below += static_cast<std::int64_t>(word > keys[k]);
    tie |= static_cast<std::int64_t>(word == keys[k]);
  }
  return {below, tie};
}

}  // namespace

ThresholdTable::ThresholdTable(std::vector<Uint128> thresholds)
    : thresholds_(std::move(thresholds)) {
  assert(std::ranges::is_sorted(thresholds_));
  keys_.reserve(thresholds_.size());
  for (const Uint128 t : thresholds_) {
    constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;
    keys_.push_back(static_cast<std::int64_t>(High64(t) ^ kTopBit));
  }
}

std::uint64_t ThresholdTable::Draw(Rng& rng) const {
  const auto word = static_cast<std::int64_t>(rng.Next());
  const Count count = CountKeysBelow(word, keys_.data(), keys_.size());
  auto draw = static_cast<std::uint64_t>(count.below);
  if (count.tie != 0) [[unlikely]]
    draw += ResolveTie(word, rng);
  return draw;
}

void ThresholdTable::DrawBatch(Rng& rng, unsigned shift,
                               std::span<std::int64_t> values) const {
  const std::size_t whole = values.size() - values.size() % kLanes;
  if (whole > 0) DrawLanes(rng, shift, values.first(whole));
  const auto rest = values.subspan(whole);
  if (rest.empty()) return;
  std::array<std::int64_t, kLanes> lanes{};
  DrawLanes(rng, shift, lanes);
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] |= lanes[i];
}

void ThresholdTable::DrawLanes(Rng& rng, unsigned shift,
                               std::span<std::int64_t> values) const {
  assert(values.size() <= kBatch && values.size() % kLanes == 0);
  std::array<std::uint64_t, kBatch> random;
  rng.Fill(std::span(random).first(values.size()));
  // A signed type may alias its unsigned counterpart.
  const auto* words = reinterpret_cast<const std::int64_t*>(random.data());
  const std::int64_t tie = CountKeysBelow(words, keys_.data(), keys_.size(),
                                          shift, values.size(), values.data());
  if (tie == 0) [[likely]]
    return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::ranges::find(keys_, words[i]) == keys_.end()) continue;
    values[i] += static_cast<std::int64_t>(ResolveTie(words[i], rng) << shift);
  }
}

std::uint64_t ThresholdTable::ResolveTie(std::int64_t word, Rng& rng) const {
  const std::uint64_t second = rng.Next();
  std::uint64_t below = 0;
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    below += keys_[k] == word && second >= Low64(thresholds_[k]) ? 1 : 0;
  }
  return below;
}

}  // namespace sotto
