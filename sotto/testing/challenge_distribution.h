#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/testing/game_distribution.h"

namespace sotto {

// A mechanism that answers one user per round, described once, without worlds.
//
//   Inputs       possible inputs of an ordinary user; empty ends the game
//   Challenges   the pairs (world P's input, world Q's) for the hidden round;
//                absence is one of the inputs
//   Step         the distribution of (all outputs of the round, next state)
//   Hide         the part of the outputs that all others see: without the
//                round's own answer, with public events such as halting
//   Next         the context after an observation; no input in a hidden round
template <typename M>
concept OnlineMechanism =
    requires(const M& m, const typename M::Context& context,
             const typename M::State& state, const typename M::Input& input,
             const std::optional<typename M::Input>& shown,
             const typename M::Observation& seen) {
  { m.Start() } -> std::same_as<typename M::Context>;
  {
    m.Initial()
    } -> std::same_as<
        std::vector<Weighted<typename M::Number, typename M::State>>>;
  { m.Inputs(context) } -> std::same_as<std::vector<typename M::Input>>;
  {
    m.Challenges(context)
    } -> std::same_as<
        std::vector<std::pair<typename M::Input, typename M::Input>>>;
  {
    m.Step(context, state, input)
    } -> std::same_as<std::vector<Outcome<
        typename M::Number, typename M::Observation, typename M::State>>>;
  { m.Hide(seen) } -> std::same_as<typename M::Observation>;
  { m.Next(context, shown, seen) } -> std::same_as<typename M::Context>;
};

// The online game of challenge differential privacy, as a GameDistribution: in
// every round the adversary either brings a user and sees everything that
// leaves the round, or, at most `challenges` times, brings a challenge pair and
// sees the view of all others.
//
//   ExactGame game(ChallengeDistribution{mechanism}, /*horizon=*/6);
//   game.Delta(exp_epsilon);
//
// Paper: Black-Box Differential Privacy for Interactive ML, OnlineGame.
template <OnlineMechanism M>
class ChallengeDistribution {
 public:
  using Number = typename M::Number;
  using State = typename M::State;
  using Observation = typename M::Observation;
  struct Context {
    int challenges_left;
    typename M::Context base;
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const Context&) const = default;
  };
  struct Move {
    typename M::Input p;
    typename M::Input q;
    bool hidden;
  };

  explicit ChallengeDistribution(M mechanism, int challenges = 1)
      : mechanism_(std::move(mechanism)), challenges_(challenges) {}

  Context Start() const { return {challenges_, mechanism_.Start()}; }
  std::vector<Weighted<Number, State>> Initial(World) const {
    return mechanism_.Initial();
  }
  std::vector<Move> Moves(const Context& context) const {
    std::vector<Move> moves;
    for (const auto& input : mechanism_.Inputs(context.base)) {
      moves.push_back({input, input, false});
    }
    if (moves.empty() || context.challenges_left == 0) return moves;
    for (const auto& [p, q] : mechanism_.Challenges(context.base)) {
      moves.push_back({p, q, true});
    }
    return moves;
  }
  std::vector<Outcome<Number, Observation, State>> Step(
      World world, const Context& context, const State& state,
      const Move& move) const {
    auto outcomes = mechanism_.Step(context.base, state,
                                    world == World::kP ? move.p : move.q);
    if (!move.hidden) return outcomes;
    for (auto& outcome : outcomes) {
      outcome.observation = mechanism_.Hide(outcome.observation);
    }
    return outcomes;
  }
  Context Next(const Context& context, const Move& move,
               const Observation& seen) const {
    std::optional<typename M::Input> shown;
    if (!move.hidden) shown = move.p;
    return {context.challenges_left - (move.hidden ? 1 : 0),
            mechanism_.Next(context.base, shown, seen)};
  }
  std::vector<State> Relabel(std::vector<State> states) const requires
      requires(const M& m) {
    m.Relabel(states);
  }
  { return mechanism_.Relabel(std::move(states)); }

 private:
  M mechanism_;
  int challenges_;
};

}  // namespace sotto
