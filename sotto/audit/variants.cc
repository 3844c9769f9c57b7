#include "sotto/audit/variants.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "sotto/random/chacha_rng.h"
#include "sotto/random/key.h"

namespace sotto {

std::vector<Parking> ParkingAround(std::int64_t centre, double scale) {
  std::vector<Parking> variants;
  for (const double away : {-4.0, -2.0, -1.0, 0.0, 1.0, 2.0}) {
    for (const std::int64_t step : {1, -1}) {
      variants.push_back({centre + std::llround(away * scale), step});
    }
  }
  return variants;
}

std::vector<ExtremalPair> PairsAround(std::int64_t centre) {
  std::vector<ExtremalPair> variants;
  for (const std::int64_t first : {-1, 0, 1}) {
    for (const std::uint64_t repeats : {1u, 2u, 4u}) {
      for (const std::int64_t then : {0, 1, 2}) {
        variants.push_back({centre + first, repeats, centre + first + then});
      }
    }
  }
  return variants;
}

std::vector<SingleStep> StepsAt(std::int64_t from, std::int64_t to) {
  std::vector<SingleStep> variants;
  const std::int64_t stride = std::max<std::int64_t>(1, (to - from) / 12);
  for (std::int64_t at = from; at <= to; at += stride) {
    variants.push_back({.zero = at, .one = at + 1});
  }
  return variants;
}

std::vector<StrategyTree> RandomTrees(const StrategyTree::Range& range,
                                      std::size_t count) {
  const std::array<std::byte, Key::kBytes> zeros{};
  ChaChaRng rng(Key::FromBytes(zeros).Derive("audit-v1", "strategy-trees", {}));
  std::vector<StrategyTree> variants;
  for (std::size_t i = 0; i < count; ++i) variants.emplace_back(range, rng);
  return variants;
}

std::vector<HiddenStep> HiddenSteps(std::uint64_t rounds) {
  std::vector<HiddenStep> variants;
  for (std::uint64_t at = 0; at < rounds; at = at == 0 ? 1 : 2 * at) {
    variants.push_back({.after_rounds = at});
  }
  for (const std::int64_t tops : {1, 2, 3, 5}) {
    variants.push_back({.after_tops = tops});
  }
  return variants;
}

std::vector<HiddenQuery> HiddenQueries(double rate) {
  const auto scale = static_cast<std::int64_t>(1 / rate) + 1;
  std::vector<HiddenQuery> variants;
  for (const std::int64_t value :
       {-2 * scale, -scale, std::int64_t{0}, scale}) {
    for (const std::uint64_t at : {0u, 3u, 10u}) {
      variants.push_back({.value = value, .at = at, .hidden = 100 * scale});
    }
  }
  return variants;
}

}  // namespace sotto
