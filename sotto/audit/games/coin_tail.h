#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sotto/audit/games/coin_game.h"

namespace sotto {

// Pr[reward > l] in CoinGame: bounds that hold for every strategy, and the
// exact value of the best one.
//
// Threads: pure functions.
inline constexpr double kMostReward = 5.0 / 6;
inline constexpr double kItsLoss = 1.0 / 6;

// [POP] Theorem E.1.
inline double CoinTheorem(double budget, double rewards) {
  return std::min(1.0, std::exp(3 * (budget + 1) - rewards / 6));
}

// exp(s R - c L) is a supermartingale if 5/6 e^s + 1/6 e^-c <= 1: the best s.
inline double CoinSupermartingale(double budget, double rewards) {
  double best = 1;
  for (double s = 0.002; s < 0.18; s += 0.002) {
    const double left = 1 - kMostReward * std::exp(s);
    if (left <= 0) break;
    const double c = -std::log(left / kItsLoss);
    best = std::min(best, std::exp(c * budget - s * (rewards + 1)));
  }
  return best;
}

// For l = 0, ..., most. The value is linear in the chances, so a vertex is
// best: nothing, or 5/6 against 1/6.
inline std::vector<double> BestCoinTail(const CoinGame& game,
                                        std::size_t most) {
  // value[b][l + 1]: at most b losses may come, more than l rewards are wanted.
  std::vector<std::vector<double>> value(game.budget + 1,
                                         std::vector<double>(most + 2, 0));
  for (std::vector<double>& row : value) row[0] = 1;
  for (std::uint64_t round = 0; round < game.rounds; ++round) {
    auto next = value;
    for (std::uint64_t b = 1; b <= game.budget; ++b) {
      for (std::size_t l = 1; l <= most + 1; ++l) {
        const double play =
            kMostReward * value[b][l - 1] + kItsLoss * value[b - 1][l];
        next[b][l] = std::max(value[b][l], play);
      }
    }
    value = std::move(next);
  }
  return {value[game.budget].begin() + 1, value[game.budget].end()};
}

}  // namespace sotto
