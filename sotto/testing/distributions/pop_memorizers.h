#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/testing/challenge_distribution.h"
#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/distributions/stopper.h"

namespace sotto {

// A whole private online procedure, small enough to be solved: k copies of a
// learner that memorizes the last label of each of two points, a noisy vote
// released inside the band low < n < high and by side outside, a Stopper check
// after every round, every label to one uniformly drawn copy. Copy indices and
// halting are public; nothing else of a hidden round is.
//
//   PopMemorizers<double> pop{.theta = std::exp(-0.5), .low = 0, .high = 2,
//                             .stopper_theta = std::exp(-1.0)};
//   ExactGame game(ChallengeDistribution{pop}, 4);
//
// It is a template for other instances: the mechanism is written once, without
// worlds, and the Stopper's secrets are integrated out.
template <typename N>
struct PopMemorizers {
  using Number = N;
  struct Input {
    int point;  // 0 or 1, or kAbsent.
    int label;  // 0 or 1, or kNone.
  };
  struct State {
    unsigned copies = 0;       // Bit 2 c + x is copy c's answer at point x.
    std::vector<int> checked;  // True medium counts at the checks passed.
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const State&) const = default;
  };
  struct Context {
    bool halted = false;
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const Context&) const = default;
  };
  struct Observation {
    int vote = 0;
    int copy = 0;
    bool halted = false;
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const Observation&) const = default;
  };
  static constexpr int kAbsent = -1;
  static constexpr int kNone = -1;
  // Outside every band, so that an absent user is not counted.
  static constexpr int kHiddenVote = std::numeric_limits<int>::min();

  Number theta;
  int low = 0;   // Votes at most `low` and at least `high` are clear.
  int high = 2;  // Requires low < copies / 2 < high.
  Number stopper_theta;
  int limit = 1;
  int copies = 2;  // At most 16.

  Context Start() const { return {}; }
  std::vector<Weighted<Number, State>> Initial() const {
    return {{Number(1), {}}};
  }
  std::vector<Input> Inputs(const Context& context) const {
    if (context.halted) return {};
    return {{0, 0}, {0, 1}, {0, kNone}, {1, 0}, {1, 1}, {1, kNone}};
  }
  std::vector<std::pair<Input, Input>> Challenges(const Context& c) const {
    std::vector<Input> all = Inputs(c);
    all.push_back({kAbsent, kNone});
    std::vector<std::pair<Input, Input>> pairs;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < all.size(); ++j) {
        if (i != j) pairs.emplace_back(all[i], all[j]);
      }
    }
    return pairs;
  }
  std::vector<Outcome<Number, Observation, State>> Step(
      const Context&, const State& state, const Input& input) const {
    std::vector<Outcome<Number, Observation, State>> outcomes;
    if (input.point == kAbsent) {
      Check(Number(1), kHiddenVote, state, input, outcomes);
      return outcomes;
    }
    int votes = 0;
    for (int copy = 0; copy < copies; ++copy) {
      votes += (state.copies & Bit(copy, input.point)) != 0 ? 1 : 0;
    }
    const DiscreteLaplaceDistribution<Number> noise(theta);
    for (int n = low; n <= high; ++n) {
      Check(noise.ClampedMass(votes, n, low, high), n, state, input, outcomes);
    }
    return outcomes;
  }
  Observation Hide(Observation seen) const {
    seen.vote = kHiddenVote;
    return seen;
  }
  Context Next(const Context&, const std::optional<Input>&,
               const Observation& seen) const {
    return {seen.halted};
  }

  // Copies are interchangeable: sorts them by their memory, state by state.
  std::vector<State> Relabel(std::vector<State> states) const {
    std::vector<std::vector<unsigned>> columns;
    for (int copy = 0; copy < copies; ++copy) {
      std::vector<unsigned>& column = columns.emplace_back();
      for (const State& state : states) {
        column.push_back(state.copies >> (2 * copy) & 3U);
      }
    }
    std::sort(columns.begin(), columns.end());
    for (std::size_t i = 0; i < states.size(); ++i) {
      states[i].copies = 0;
      for (std::size_t copy = 0; copy < columns.size(); ++copy) {
        states[i].copies |= columns[copy][i] << (2 * copy);
      }
    }
    return states;
  }

 private:
  void Check(const Number& weight, int vote, const State& state,
             const Input& input,
             std::vector<Outcome<Number, Observation, State>>& outcomes) const {
    State next = state;
    const bool medium = vote > low && vote < high;
    const int before = state.checked.empty() ? 0 : state.checked.back();
    next.checked.push_back(before + (medium ? 1 : 0));
    const Number survives =
        StopperSurvival(stopper_theta, limit, next.checked) /
        StopperSurvival(stopper_theta, limit, state.checked);
    const Number share = weight / copies;
    for (int copy = 0; copy < copies; ++copy) {
      outcomes.push_back(
          {share * survives, {vote, copy, false}, AddLabel(next, input, copy)});
      outcomes.push_back({share * (1 - survives), {vote, copy, true}, next});
    }
  }

  static unsigned Bit(int copy, int point) { return 1U << (2 * copy + point); }

  static State AddLabel(State state, const Input& input, int copy) {
    if (input.label == kNone) return state;
    const unsigned bit = Bit(copy, input.point);
    state.copies = input.label == 1 ? state.copies | bit : state.copies & ~bit;
    return state;
  }
};

}  // namespace sotto
