#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/testing/game_distribution.h"

// The belief of the adversary of ExactGame, and its update by a move. Steps are
// those of exact_game.md.
namespace sotto::internal {

// Step 4: two doubles with one key differ by at most 2^-44 of their size.
inline double MemoKey(double x) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 7;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return std::bit_cast<double>((bits + kHalf) & ~(2 * kHalf - 1));
}
template <typename Number>
const Number& MemoKey(const Number& x) {
  return x;
}

template <typename Number>
bool SumsToOne(const Number& sum) {
  if constexpr (std::is_floating_point_v<Number>) {
    return std::abs(sum - 1) <= 1e-10;
  } else {
    return sum == 1;
  }
}

// Beliefs depend on the distribution only, so they are compiled once for all
// objectives.
template <typename Distribution>
class Beliefs {
 public:
  using Number = typename Distribution::Number;
  using State = typename Distribution::State;
  using Context = typename Distribution::Context;
  using Move = typename Distribution::Move;
  using Observation = typename Distribution::Observation;

  // Unnormalised weight of one hidden state in both worlds, given what the
  // adversary saw: Pr[state, view] in each.
  struct Entry {
    State state;
    Number a;
    Number b;
  };
  using Belief = std::vector<Entry>;  // Sorted by state, states distinct.
  struct Child {
    Observation observation;
    Belief belief;
  };
  using Key =
      std::pair<Context, std::vector<std::tuple<State, Number, Number>>>;

  Beliefs(const Distribution& distribution, Direction direction)
      : distribution_(distribution),
        numerator_(direction == Direction::kPOverQ ? World::kP : World::kQ),
        denominator_(direction == Direction::kPOverQ ? World::kQ : World::kP) {}

  Belief Initial() {
    std::vector<Arrival> arrivals;
    for (World world : {numerator_, denominator_}) {
      Number sum = 0;
      for (const auto& [weight, state] : distribution_.Initial(world)) {
        sum += weight;
        arrivals.push_back(Arrive(world, Observation{}, state, weight));
      }
      if (!SumsToOne(sum)) Fail("the initial weights do not sum to 1");
    }
    std::vector<Child> children = Merge(std::move(arrivals));
    return children.empty() ? Belief{} : std::move(children[0].belief);
  }

  static std::pair<Number, Number> Totals(const Belief& belief) {
    Number a = 0;
    Number b = 0;
    for (const Entry& entry : belief) {
      a += entry.a;
      b += entry.b;
    }
    return {a, b};
  }

  std::vector<Child> Play(const Context& context, const Belief& belief,
                          const Move& move) {
    std::vector<Arrival> arrivals;
    for (const Entry& entry : belief) {
      Send(numerator_, context, entry.state, entry.a, move, arrivals);
      Send(denominator_, context, entry.state, entry.b, move, arrivals);
    }
    return Merge(std::move(arrivals));
  }

  static Belief Scaled(const Belief& belief, const Number& scale) {
    Belief scaled = belief;
    for (Entry& entry : scaled) {
      entry.a /= scale;
      entry.b /= scale;
    }
    return scaled;
  }

  // A symmetry of the distribution, applied to all states at once, changes no
  // value.
  Belief Relabelled(Belief belief) const {
    if constexpr (SymmetricDistribution<Distribution>) {
      std::vector<State> states;
      for (const Entry& entry : belief) states.push_back(entry.state);
      states = distribution_.Relabel(std::move(states));
      for (std::size_t i = 0; i < belief.size(); ++i) {
        belief[i].state = std::move(states[i]);
      }
      std::sort(
          belief.begin(), belief.end(),
          [](const Entry& x, const Entry& y) { return x.state < y.state; });
    }
    return belief;
  }

  static Key MakeKey(const Context& context, const Belief& belief) {
    Key key{context, {}};
    key.second.reserve(belief.size());
    for (const Entry& entry : belief) {
      key.second.emplace_back(entry.state, MemoKey(entry.a), MemoKey(entry.b));
    }
    return key;
  }

  void Fail(std::string message, ErrorCode code = ErrorCode::kInvalidArgument) {
    if (!error_) error_ = Error{code, std::move(message)};
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  struct Arrival {
    Observation observation;
    State state;
    Number a;
    Number b;
  };

  Arrival Arrive(World world, Observation observation, State state,
                 Number weight) const {
    const bool top = world == numerator_;
    Number zero = 0;
    return {std::move(observation), std::move(state), top ? weight : zero,
            top ? zero : weight};
  }

  void Send(World world, const Context& context, const State& state,
            const Number& weight, const Move& move,
            std::vector<Arrival>& arrivals) {
    if (weight == 0) return;
    Number sum = 0;
    for (auto& outcome : distribution_.Step(world, context, state, move)) {
      if (outcome.probability < 0) Fail("a Step has a negative probability");
      if (!(outcome.probability > 0)) continue;
      sum += outcome.probability;
      arrivals.push_back(Arrive(world, std::move(outcome.observation),
                                std::move(outcome.state),
                                Number(weight * outcome.probability)));
    }
    if (!SumsToOne(sum)) Fail("the probabilities of a Step do not sum to 1");
  }

  // Beliefs by observation. The order of summation is that of the arrivals.
  static std::vector<Child> Merge(std::vector<Arrival> arrivals) {
    std::vector<Child> children;
    for (const std::size_t place : Order(arrivals)) {
      Arrival& next = arrivals[place];
      if (children.empty() || children.back().observation != next.observation) {
        children.push_back({std::move(next.observation), {}});
      }
      Belief& belief = children.back().belief;
      if (belief.empty() || belief.back().state != next.state) {
        belief.push_back(
            {std::move(next.state), std::move(next.a), std::move(next.b)});
      } else {
        belief.back().a += next.a;
        belief.back().b += next.b;
      }
    }
    return children;
  }

  // The places of the arrivals, sorted by what arrives; equals stay in order.
  static std::vector<std::size_t> Order(const std::vector<Arrival>& arrivals) {
    std::vector<std::size_t> order(arrivals.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
      const Arrival& x = arrivals[i];
      const Arrival& y = arrivals[j];
      return std::tie(x.observation, x.state, i) <
             std::tie(y.observation, y.state, j);
    });
    return order;
  }

  const Distribution& distribution_;
  World numerator_;
  World denominator_;
  std::optional<Error> error_;
};

}  // namespace sotto::internal
