#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "sotto/audit/games/rules.h"
#include "sotto/audit/games/view.h"
#include "sotto/random/rng.h"

namespace sotto {

// Adversaries against mechanisms with integer inputs. Each is a value: the
// auditor copies one for every game, and tries several parameters.
//
// Threads: value types.

// Threshold parking: the same query in every round, at a chosen place, one
// apart in the two worlds.
struct Parking {
  std::int64_t value = 0;
  std::int64_t step = 1;  // difference of the other world: 1 or -1

  std::optional<Move<std::int64_t>> Next(const View&) const {
    return Move<std::int64_t>{value, value + step};
  }
};

// The extremal pair of a noisy threshold: queries that are one higher in world
// one until `repeats` of them have been answered, then queries that are one
// lower there. A kept threshold is pushed one way and tested the other.
struct ExtremalPair {
  std::int64_t first = 0;
  std::uint64_t repeats = 1;
  std::int64_t then = 0;

  std::optional<Move<std::int64_t>> Next(const View& view) const {
    if (view.rounds() < repeats) return Move<std::int64_t>{first, first + 1};
    return Move<std::int64_t>{then, then - 1};
  }
};

// For data that come one a round: `lead` rounds of `before`, the challenge, and
// then only `after`.
struct SingleStep {
  std::uint64_t lead = 0;
  std::int64_t before = 0;
  std::int64_t zero = 0;
  std::int64_t one = 1;
  std::int64_t after = 0;

  std::optional<Move<std::int64_t>> Next(const View& view) const {
    if (view.rounds() < lead) return Same(before);
    if (view.rounds() == lead) return Challenge(zero, one);
    return Same(after);
  }
};

// Against mirrors: ones in every round but one hidden step, which is a zero in
// world one. The step comes after a number of rounds or, adaptively, after a
// number of tops.
struct HiddenStep {
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  std::uint64_t after_rounds = kNever;
  std::int64_t after_tops = -1;
  std::int64_t tops = 0;
  bool done = false;

  std::optional<Move<std::int64_t>> Next(const View& view) {
    if (!view.seen.empty() && view.seen.back() == 1) ++tops;
    const bool now = !done && (view.rounds() == after_rounds ||
                               (after_tops >= 0 && tops == after_tops));
    if (!now) return Same(std::int64_t{1});
    done = true;
    return Challenge(std::int64_t{1}, std::int64_t{0});
  }
};

// Against tests that hide a query: parks the visible ones, and the hidden one
// is far above in one world.
struct HiddenQuery {
  std::int64_t value = 0;
  std::uint64_t at = 0;
  std::int64_t hidden = 1000;
  std::int64_t step = 1;  // of the visible queries, from world to world

  std::optional<Move<std::int64_t>> Next(const View& view) const {
    if (view.rounds() == at) return Challenge(-hidden, hidden);
    return Move<std::int64_t>{value, value + step};
  }
};

// A small random strategy: the query depends on a state, and the next state on
// whether the answer was above `pivot`.
class StrategyTree {
 public:
  static constexpr std::size_t kStates = 6;

  struct Range {
    std::int64_t low = 0;  // of the values
    std::int64_t high = 0;
    std::int64_t pivot = 0;
    // One round is a challenge and all others are equal; otherwise all differ.
    bool one_challenge = false;
  };

  StrategyTree(const Range& range, Rng& rng) : range_(range) {
    const auto span = static_cast<std::uint64_t>(range.high - range.low) + 1;
    for (State& state : states_) {
      state.value = range.low + static_cast<std::int64_t>(rng.Next() % span);
      state.step = (rng.Next() & 1) != 0 ? 1 : -1;
      for (std::size_t& next : state.next) next = rng.Next() % kStates;
    }
    challenge_round_ = rng.Next() % 4;
  }

  std::optional<Move<std::int64_t>> Next(const View& view) {
    if (!view.seen.empty()) {
      const bool above = view.seen.back() > range_.pivot;
      now_ = states_[now_].next[above ? 1 : 0];
    }
    const State& state = states_[now_];
    if (!range_.one_challenge) {
      return Move<std::int64_t>{state.value, state.value + state.step};
    }
    if (view.rounds() != challenge_round_) return Same(state.value);
    return Challenge(state.value, state.value + 1);
  }

 private:
  struct State {
    std::int64_t value = 0;
    std::int64_t step = 1;
    std::array<std::size_t, 2> next = {};
  };

  Range range_;
  std::array<State, kStates> states_ = {};
  std::uint64_t challenge_round_ = 0;
  std::size_t now_ = 0;
};

}  // namespace sotto
