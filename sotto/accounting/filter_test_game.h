#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "sotto/accounting/privacy_cost.h"

// For tests of filters.
namespace sotto {

inline constexpr double kUnit = 0.05;  // losses are multiples of it

// The exact worst delta(epsilon) over all adversaries who choose, in view of
// the answers so far, which of a few mechanisms to ask next, as long as `Gate`
// lets them. Mechanism j is the worst (epsilon_j, delta_j) one [KOV15]: with
// probability delta_j it reveals its world, otherwise it is randomized
// response. Both directions are the same game.
struct Move {
  int units;  // epsilon / kUnit
  double delta = 0;
};

template <typename Gate>
class AdaptiveGame {
 public:
  AdaptiveGame(std::vector<Move> moves, double epsilon)
      : moves_(std::move(moves)), epsilon_(epsilon) {}

  double Delta(const Gate& gate) { return Worst(gate, {0, 0, 0}, 0); }

 private:
  // The gate's state is a function of how often each mechanism was asked.
  double Worst(const Gate& gate, std::array<int, 3> asked, int loss) {
    const auto key = std::pair(asked, loss);
    if (const auto known = known_.find(key); known != known_.end()) {
      return known->second;
    }
    double worst = std::max(0.0, 1 - std::exp(epsilon_ - kUnit * loss));
    for (std::size_t j = 0; j < moves_.size(); ++j) {
      const Move& move = moves_[j];
      Gate next = gate;
      if (!next.Admits({kUnit * move.units, move.delta})) continue;
      std::array<int, 3> then = asked;
      ++then[j];
      const double truth = 1 / (1 + std::exp(-kUnit * move.units));
      worst = std::max(
          worst, move.delta +
                     (1 - move.delta) *
                         (truth * Worst(next, then, loss + move.units) +
                          (1 - truth) * Worst(next, then, loss - move.units)));
    }
    return known_[key] = worst;
  }

  std::vector<Move> moves_;  // at most three
  double epsilon_;
  std::map<std::pair<std::array<int, 3>, int>, double> known_;
};

}  // namespace sotto
