#pragma once

#include <concepts>
#include <vector>

namespace sotto {

// The two neighbouring worlds, and which of them is in the numerator.
enum class World { kP, kQ };
enum class Direction { kPOverQ, kQOverP };

template <typename Number, typename State>
struct Weighted {
  Number weight;
  State state;
};

// One outcome of a move: the observation and the next hidden state, with their
// joint probability.
template <typename Number, typename Observation, typename State>
struct Outcome {
  Number probability;
  Observation observation;
  State state;
};

// An interactive mechanism with finitely many outcomes per move.
//
//   State        hidden from the adversary; may differ between the worlds
//   Context      public state that the rules need: reports left, challenge
//                used or not, visible counts. Equal in both worlds.
//   Moves        possible moves of the adversary; empty ends the game
//   Step         the distribution of (observation, next state) in one world;
//                the probabilities of one call sum to 1
//   Next         the context after a move and its observation
//
// A neighbour pair enters through Step: a move may carry one input per world.
// A round whose answer the adversary does not see reports one fixed symbol:
// see Hidden, and ChallengeDistribution in challenge_distribution.h.
template <typename L>
concept GameDistribution = std::totally_ordered<typename L::State> &&
    std::totally_ordered<typename L::Context> &&
    std::totally_ordered<typename L::Observation> &&
    std::default_initializable<typename L::Observation> &&
    std::copyable<typename L::Move> &&
    requires(const L& distribution, World world,
             const typename L::Context& context, const typename L::State& state,
             const typename L::Move& move,
             const typename L::Observation& seen) {
  { distribution.Start() } -> std::same_as<typename L::Context>;
  {
    distribution.Initial(world)
    } -> std::same_as<
        std::vector<Weighted<typename L::Number, typename L::State>>>;
  {
    distribution.Moves(context)
    } -> std::same_as<std::vector<typename L::Move>>;
  {
    distribution.Step(world, context, state, move)
    } -> std::same_as<std::vector<Outcome<
        typename L::Number, typename L::Observation, typename L::State>>>;
  {
    distribution.Next(context, move, seen)
    } -> std::same_as<typename L::Context>;
};

// Optional: a distribution whose states can be renamed without changing the
// game (equal copies, say) may offer Relabel, which applies one such renaming,
// of its choice, to all the states of a belief together. Beliefs that are equal
// up to renaming are then solved once.
template <typename L>
concept SymmetricDistribution = GameDistribution<L> &&
    requires(const L& distribution, std::vector<typename L::State> states) {
  { distribution.Relabel(states) } -> std::same_as<decltype(states)>;
};

// The same outcomes with everything the adversary sees replaced by `symbol`.
template <typename Number, typename Observation, typename State>
std::vector<Outcome<Number, Observation, State>> Hidden(
    std::vector<Outcome<Number, Observation, State>> outcomes,
    const Observation& symbol) {
  for (auto& outcome : outcomes) outcome.observation = symbol;
  return outcomes;
}

}  // namespace sotto
