#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/distributions/stopper.h"
#include "sotto/testing/game_distribution.h"

namespace sotto {

// An upper envelope of every POP instance with votes in a BetweenThresholds
// band and a Stopper: before the hidden round the adversary sets each round's
// medium flag; in the hidden round the flags are `hidden`, one per world; then
// it chooses both worlds' vote counts, v and v + 1 in either order, or
// continues to set flags. Every round ends with a check of the Stopper.
//
//   PopEnvelopeDistribution<double> distribution{
//       .theta = std::exp(-0.5), .gap = 4,
//       .stopper_theta = std::exp(-2.0), .limit = 1};
//
// Its value dominates every POP instance with these parameters and the same
// number of rounds, for the fixed pair `hidden`; the supremum takes the worst
// of the pairs.
template <typename N>
struct PopEnvelopeDistribution {
  using Number = N;
  using State = std::monostate;
  using Observation = std::pair<int, bool>;  // Clamped vote, halted.
  struct Move {
    enum class Kind { kFlag, kHidden, kVote } kind;
    int p;  // The flag, or the vote in world P.
    int q;
  };
  struct Context {
    bool halted = false;
    bool challenged = false;
    int count = 0;  // Visible medium rounds.
    int rounds = 0;
    std::array<std::vector<int>, 2> checked;  // By world.
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const Context&) const = default;
  };

  Number theta;
  int gap = 1;
  Number stopper_theta;
  int limit = 1;
  std::array<int, 2> hidden = {0, 0};
  int rounds_before = 0;  // Maximum before the hidden round.
  int rounds_after = 1;   // Number of rounds after it.

  Context Start() const { return {}; }
  std::vector<Weighted<Number, State>> Initial(World) const {
    return {{Number(1), {}}};
  }
  std::vector<Move> Moves(const Context& context) const {
    using Kind = typename Move::Kind;
    if (context.halted) return {};
    if (context.challenged && context.rounds > rounds_after) return {};
    std::vector<Move> moves;
    if (!context.challenged) {
      moves.push_back({Kind::kHidden, hidden[0], hidden[1]});
      if (context.rounds == rounds_before) return moves;
    }
    moves.push_back({Kind::kFlag, 0, 0});
    moves.push_back({Kind::kFlag, 1, 1});
    for (int v = 0; context.challenged && v <= gap; ++v) {
      moves.push_back({Kind::kVote, v, v + 1});
      moves.push_back({Kind::kVote, v + 1, v});
    }
    return moves;
  }
  std::vector<Outcome<Number, Observation, State>> Step(
      World world, const Context& context, const State&,
      const Move& move) const {
    const auto w = static_cast<std::size_t>(world);
    const std::array<Number, 2> survives = {Survives(w, context, move, 0),
                                            Survives(w, context, move, 1)};
    std::vector<Outcome<Number, Observation, State>> outcomes;
    auto add = [&](const Number& weight, int n) {
      const Number& stays = survives[Charged(n) ? 1 : 0];
      outcomes.push_back({weight * stays, {n, false}, {}});
      outcomes.push_back({weight * (1 - stays), {n, true}, {}});
    };
    if (move.kind != Move::Kind::kVote) {
      add(Number(1), move.kind == Move::Kind::kFlag ? move.p : 0);
      return outcomes;
    }
    const DiscreteLaplaceDistribution<Number> noise(theta);
    const int vote = world == World::kP ? move.p : move.q;
    for (int n = 0; n <= gap + 1; ++n) {
      add(noise.ClampedMass(vote, n, 0, gap + 1), n);
    }
    return outcomes;
  }
  Context Next(const Context& context, const Move& move,
               const Observation& seen) const {
    Context next = context;
    next.halted = seen.second;
    next.count += Charged(seen.first) ? 1 : 0;
    const bool starts = move.kind == Move::Kind::kHidden;
    next.challenged = context.challenged || starts;
    next.rounds = starts ? 1 : context.rounds + 1;
    for (std::size_t w = 0; w < 2; ++w) {
      next.checked[w].push_back(next.count + (next.challenged ? hidden[w] : 0));
    }
    return next;
  }

 private:
  bool Charged(int n) const { return n > 0 && n <= gap; }

  Number Survives(std::size_t w, const Context& context, const Move& move,
                  int medium) const {
    std::vector<int> counts = context.checked[w];
    const Number before = StopperSurvival(stopper_theta, limit, counts);
    const bool after = context.challenged || move.kind == Move::Kind::kHidden;
    counts.push_back(context.count + medium + (after ? hidden[w] : 0));
    return StopperSurvival(stopper_theta, limit, counts) / before;
  }
};

}  // namespace sotto
