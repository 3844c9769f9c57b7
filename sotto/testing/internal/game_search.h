#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/testing/game_law.h"

// Backward induction of ExactGame. Steps are those of exact_game.md.
namespace sotto::internal {

// A number, or nothing for infinity.
template <typename Number>
using Value = std::optional<Number>;

// Step 1: sum over transcripts of (a - e^epsilon b)+.
template <typename Number>
struct HockeyStick {
  Number exp_epsilon;
  static constexpr bool kSums = true;  // Otherwise: takes the maximum.

  Value<Number> Leaf(const Number& a, const Number& b) const {
    const Number gain = a - exp_epsilon * b;
    return gain > 0 ? gain : Number(0);
  }
};

// Step 6: the largest a / b.
template <typename Number>
struct LikelihoodRatio {
  static constexpr bool kSums = false;

  Value<Number> Leaf(const Number& a, const Number& b) const {
    if (a == 0) return Number(0);
    if (b == 0) return std::nullopt;
    return Number(a / b);
  }
};

// Step 6: sum over transcripts of a^order b^(1 - order).
template <typename Number>
struct RenyiMoment {
  int order;
  static constexpr bool kSums = true;

  Value<Number> Leaf(const Number& a, const Number& b) const {
    if (a == 0) return Number(0);
    if (b == 0) return std::nullopt;
    const Number ratio = a / b;
    Number power = b;
    for (int i = 0; i < order; ++i) power *= ratio;
    return power;
  }
};

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

template <typename Game, typename Objective>
class Search {
 public:
  using Law = std::remove_cvref_t<decltype(std::declval<Game>().law())>;
  using Number = typename Law::Number;
  using State = typename Law::State;
  using Context = typename Law::Context;
  using Move = typename Law::Move;
  using Observation = typename Law::Observation;
  using Transcript = typename Game::Transcript;

  Search(const Game& game, Objective objective, Direction direction)
      : game_(game),
        law_(game.law()),
        objective_(std::move(objective)),
        numerator_(direction == Direction::kPOverQ ? World::kP : World::kQ),
        denominator_(direction == Direction::kPOverQ ? World::kQ : World::kP),
        memo_(static_cast<std::size_t>(std::max(game.horizon(), 0)) + 1) {}

  Value<Number> SolveRoot() {
    return Solve(game_.horizon(), law_.Start(), InitialBelief());
  }

  // Every leaf of the best strategy's tree.
  std::vector<Transcript> Transcripts() {
    std::vector<Transcript> found;
    Transcript prefix{{}, Number(1), Number(1)};
    Collect(game_.horizon(), law_.Start(), InitialBelief(), prefix, found);
    return found;
  }

  const std::optional<Error>& error() const { return error_; }

 private:
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
  struct Arrival {
    Observation observation;
    State state;
    Number a;
    Number b;
  };
  using Key =
      std::pair<Context, std::vector<std::tuple<State, Number, Number>>>;

  Belief InitialBelief() {
    std::vector<Arrival> arrivals;
    for (World world : {numerator_, denominator_}) {
      Number sum = 0;
      for (const auto& [weight, state] : law_.Initial(world)) {
        sum += weight;
        arrivals.push_back(Arrive(world, Observation{}, state, weight));
      }
      if (!SumsToOne(sum)) Fail("the initial weights do not sum to 1");
    }
    std::vector<Child> children = Merge(std::move(arrivals));
    return children.empty() ? Belief{} : std::move(children[0].belief);
  }

  Arrival Arrive(World world, Observation observation, State state,
                 Number weight) const {
    const bool top = world == numerator_;
    Number zero = 0;
    return {std::move(observation), std::move(state), top ? weight : zero,
            top ? zero : weight};
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

  // Step 2. The value of the game from here on; it is homogeneous of degree 1
  // in the belief for sums and of degree 0 for maxima (step 3), so the search
  // runs on normalised beliefs and remembers them.
  Value<Number> Solve(int left, const Context& context, const Belief& belief) {
    const auto [a, b] = Totals(belief);
    if (error_ || left == 0 || a == 0 || b == 0) return objective_.Leaf(a, b);
    const Number scale = a + b;
    const Belief normal = Relabelled(Scaled(belief, scale));
    Key key = MakeKey(context, normal);
    auto& memo = memo_[static_cast<std::size_t>(left)];
    auto found = memo.find(key);
    if (found == memo.end()) {
      const std::vector<Move> moves = law_.Moves(context);
      if (moves.empty()) return objective_.Leaf(a, b);
      if (++nodes_ > game_.max_nodes()) {
        Fail("the game has too many nodes", ErrorCode::kNotConverged);
        return Number(0);
      }
      Value<Number> value = Best(left, context, normal, moves).first;
      found = memo.emplace(std::move(key), std::move(value)).first;
    }
    if (!found->second || !Objective::kSums) return found->second;
    return Number(*found->second * scale);
  }

  std::pair<Value<Number>, std::size_t> Best(int left, const Context& context,
                                             const Belief& belief,
                                             const std::vector<Move>& moves) {
    Number best = -1;
    std::size_t best_move = 0;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const Value<Number> value = Evaluate(left, context, belief, moves[i]);
      if (!value) return {std::nullopt, i};
      if (*value > best) {
        best = *value;
        best_move = i;
      }
    }
    return {best, best_move};
  }

  Value<Number> Evaluate(int left, const Context& context, const Belief& belief,
                         const Move& move) {
    Number total = 0;
    for (const Child& child : Play(context, belief, move)) {
      const Value<Number> value = Solve(
          left - 1, law_.Next(context, move, child.observation), child.belief);
      if (!value) return std::nullopt;
      if constexpr (Objective::kSums) {
        total += *value;
      } else {
        total = std::max(total, *value);
      }
    }
    return total;
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

  void Send(World world, const Context& context, const State& state,
            const Number& weight, const Move& move,
            std::vector<Arrival>& arrivals) {
    if (weight == 0) return;
    Number sum = 0;
    for (auto& outcome : law_.Step(world, context, state, move)) {
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
    std::stable_sort(arrivals.begin(), arrivals.end(),
                     [](const Arrival& x, const Arrival& y) {
                       return std::tie(x.observation, x.state) <
                              std::tie(y.observation, y.state);
                     });
    std::vector<Child> children;
    for (Arrival& next : arrivals) {
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

  static Belief Scaled(const Belief& belief, const Number& scale) {
    Belief scaled = belief;
    for (Entry& entry : scaled) {
      entry.a /= scale;
      entry.b /= scale;
    }
    return scaled;
  }

  // A symmetry of the law, applied to all states at once, changes no value.
  Belief Relabelled(Belief belief) const {
    if constexpr (SymmetricLaw<Law>) {
      std::vector<State> states;
      for (const Entry& entry : belief) states.push_back(entry.state);
      states = law_.Relabel(std::move(states));
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

  void Collect(int left, const Context& context, const Belief& belief,
               Transcript& prefix, std::vector<Transcript>& found) {
    const auto [a, b] = Totals(belief);
    const std::vector<Move> moves =
        left > 0 ? law_.Moves(context) : std::vector<Move>{};
    if (error_ || a == 0 || b == 0 || moves.empty()) {
      prefix.numerator = a;
      prefix.denominator = b;
      found.push_back(prefix);
      return;
    }
    const Move& move = moves[Best(left, context, belief, moves).second];
    for (const Child& child : Play(context, belief, move)) {
      prefix.steps.emplace_back(move, child.observation);
      Collect(left - 1, law_.Next(context, move, child.observation),
              child.belief, prefix, found);
      prefix.steps.pop_back();
    }
  }

  void Fail(std::string message, ErrorCode code = ErrorCode::kInvalidArgument) {
    if (!error_) error_ = Error{code, std::move(message)};
  }

  const Game& game_;
  const Law& law_;
  Objective objective_;
  World numerator_;
  World denominator_;
  std::vector<std::map<Key, Value<Number>>> memo_;
  std::size_t nodes_ = 0;
  std::optional<Error> error_;
};

}  // namespace sotto::internal
