#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "sotto/audit/games/oblivious.h"
#include "sotto/audit/games/point_learner_adversary.h"
#include "sotto/audit/point_input.h"
#include "sotto/audit/random_key.h"
#include "sotto/base/result.h"
#include "sotto/random/chacha_rng.h"

namespace sotto {

// A player of points as a learner for the adversary of Theorem 1.11. The player
// also has Result<bool> Says(std::int64_t point, Rng&).
//
// Threads: as the player.
template <typename Player>
struct TaughtPlayer {
  Player player;

  Result<bool> Says(std::int64_t point, Rng& rng) {
    return player.Says(point, rng);
  }
  Result<std::int64_t> Step(const PointExample& example, Rng& rng) {
    if (player.halted()) return 0;
    return player.Step({.point = static_cast<std::int32_t>(example.point),
                        .label = example.label},
                       rng);
  }
};

// The streams of that adversary against a player, as moves of a game: a variant
// for each inserted example, after which all users ask for its point. Fails as
// the player does.
template <typename Fresh>
Result<std::vector<Oblivious<PointInput>>> HardPoints(std::uint64_t rounds,
                                                      const Fresh& fresh) {
  constexpr int kOnes = 4;
  constexpr int kSamples = 100;
  ChaChaRng rng(KnownKey().Derive("audit-v1", "hard-points", {}));
  // Works in both cases: this uses its neighbours, not its mistakes.
  const auto adversary = PointLearnerAdversary::Build(
      {.ones = kOnes,
       .samples = kSamples,
       .gamble = std::numeric_limits<double>::infinity()},
      [&] { return TaughtPlayer<decltype(fresh())>{fresh()}; }, rng);
  if (!adversary) return adversary.error();
  const auto input = [](const PointExample& example) {
    return PointInput{.point = static_cast<std::int32_t>(example.point),
                      .label = example.label};
  };
  std::vector<Oblivious<PointInput>> variants;
  for (std::size_t i = 0; i < adversary->hard().inserted.size(); ++i) {
    std::vector<Move<PointInput>> moves;
    for (const Move<PointExample>& move : adversary->Neighbours(i)) {
      moves.push_back({input(move.zero), input(move.one), move.challenge});
    }
    const auto point = static_cast<std::int32_t>(adversary->point());
    while (moves.size() < rounds) {
      moves.push_back(Same(PointInput{.point = point}));
    }
    variants.emplace_back(std::move(moves));
  }
  return variants;
}

}  // namespace sotto
