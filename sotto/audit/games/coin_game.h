#pragma once

#include <cstdint>
#include <optional>

#include "sotto/audit/games/game.h"
#include "sotto/audit/games/view.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"

namespace sotto {

// [POP] Algorithm 12: the adversary sets the chances of a reward and of a loss,
// and wants many rewards before its budget is used up. It bounds the paid
// answers of POP; Theorem E.1: Pr[reward > l] <= e^(3(k+1) - l/6).
struct CoinChances {
  double reward = 0;  // p, at most 5/6
  double loss = 0;    // q, between p / 5 and 1 - p
};

struct CoinGame {
  std::uint64_t budget = 0;  // k
  std::uint64_t rounds = 0;  // m
};

// The reward. The view holds 0, 1 (reward) or 2 (loss) a round.
// Adversary::Next(const View&) returns std::optional<CoinChances>. Fails with
// kFailedPrecondition and the round if the chances are not allowed.
template <typename Adversary>
Result<std::uint64_t> PlayCoins(const CoinGame& game, Adversary& adversary,
                                Rng& rng, View& view) {
  view.Clear();
  std::uint64_t budget = game.budget;
  std::uint64_t reward = 0;
  for (std::uint64_t round = 1; round <= game.rounds; ++round) {
    const std::optional<CoinChances> chances = adversary.Next(view);
    if (!chances) break;
    const double p = chances->reward;
    const double q = chances->loss;
    if (!(p >= 0 && p <= 5.0 / 6 && q >= p / 5 && q <= 1 - p)) {
      return GameFault(round, "chances that the game does not allow");
    }
    const double uniform = static_cast<double>(rng.Next() >> 11) * 0x1p-53;
    const int coin = uniform < p ? 1 : uniform < p + q ? 2 : 0;
    view.seen.push_back(coin);
    if (coin == 1 && budget > 0) ++reward;
    if (coin == 2 && budget > 0) --budget;
  }
  return reward;
}

}  // namespace sotto
