#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/testing/game_distribution.h"
#include "sotto/testing/internal/game_beliefs.h"

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

template <typename Game, typename Objective>
class Search {
 public:
  using Distribution =
      std::remove_cvref_t<decltype(std::declval<Game>().distribution())>;
  using Number = typename Distribution::Number;
  using Context = typename Distribution::Context;
  using Move = typename Distribution::Move;
  using Transcript = typename Game::Transcript;

  Search(const Game& game, Objective objective, Direction direction)
      : game_(game),
        distribution_(game.distribution()),
        objective_(std::move(objective)),
        beliefs_(game.distribution(), direction),
        memo_(static_cast<std::size_t>(std::max(game.horizon(), 0)) + 1) {}

  Value<Number> SolveRoot() {
    return Solve(game_.horizon(), distribution_.Start(), beliefs_.Initial());
  }

  // Every leaf of the best strategy's tree.
  std::vector<Transcript> Transcripts() {
    std::vector<Transcript> found;
    Transcript prefix{{}, Number(1), Number(1)};
    Collect(game_.horizon(), distribution_.Start(), beliefs_.Initial(), prefix,
            found);
    return found;
  }

  const std::optional<Error>& error() const { return beliefs_.error(); }

 private:
  using Belief = typename Beliefs<Distribution>::Belief;
  using Child = typename Beliefs<Distribution>::Child;
  using Key = typename Beliefs<Distribution>::Key;

  // Step 2. The value of the game from here on; it is homogeneous of degree 1
  // in the belief for sums and of degree 0 for maxima (step 3), so the search
  // runs on normalised beliefs and remembers them.
  Value<Number> Solve(int left, const Context& context, const Belief& belief) {
    const auto [a, b] = beliefs_.Totals(belief);
    if (error() || left == 0 || a == 0 || b == 0) return objective_.Leaf(a, b);
    const Number scale = a + b;
    const Belief normal = beliefs_.Relabelled(beliefs_.Scaled(belief, scale));
    Key key = beliefs_.MakeKey(context, normal);
    auto& memo = memo_[static_cast<std::size_t>(left)];
    auto found = memo.find(key);
    if (found == memo.end()) {
      const std::vector<Move> moves = distribution_.Moves(context);
      if (moves.empty()) return objective_.Leaf(a, b);
      if (++nodes_ > game_.max_nodes()) {
        beliefs_.Fail("the game has too many nodes", ErrorCode::kNotConverged);
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
    for (const Child& child : beliefs_.Play(context, belief, move)) {
      const Value<Number> value =
          Solve(left - 1, distribution_.Next(context, move, child.observation),
                child.belief);
      if (!value) return std::nullopt;
      if constexpr (Objective::kSums) {
        total += *value;
      } else {
        total = std::max(total, *value);
      }
    }
    return total;
  }

  void Collect(int left, const Context& context, const Belief& belief,
               Transcript& prefix, std::vector<Transcript>& found) {
    const auto [a, b] = beliefs_.Totals(belief);
    const std::vector<Move> moves =
        left > 0 ? distribution_.Moves(context) : std::vector<Move>{};
    if (error() || a == 0 || b == 0 || moves.empty()) {
      prefix.numerator = a;
      prefix.denominator = b;
      found.push_back(prefix);
      return;
    }
    const Move& move = moves[Best(left, context, belief, moves).second];
    for (const Child& child : beliefs_.Play(context, belief, move)) {
      prefix.steps.emplace_back(move, child.observation);
      Collect(left - 1, distribution_.Next(context, move, child.observation),
              child.belief, prefix, found);
      prefix.steps.pop_back();
    }
  }

  const Game& game_;
  const Distribution& distribution_;
  Objective objective_;
  Beliefs<Distribution> beliefs_;
  std::vector<std::map<Key, Value<Number>>> memo_;
  std::size_t nodes_ = 0;
};

}  // namespace sotto::internal
