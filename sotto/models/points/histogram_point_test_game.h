#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/models/points/histogram_point_predictor.h"
#include "sotto/testing/challenge_distribution.h"
#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/game_distribution.h"

namespace sotto {

// Ways to get Algorithm 3 wrong.
enum class BrokenHistogramPoints : std::uint8_t {
  kSound,
  kNoFakeTest,     // the labels of the point are not checked
  kFakeAtTrigger,  // checked are the occurrences before the histogram ran
  kNoDelay,        // the plain mirror, K = 1
  kHalfNoise,      // bins with noise as if a label 1 only came or went
  kMissingIsTrue,  // a missing label is not counted as fake
  kShown,          // everybody sees when the histogram runs
  kHasty,          // no further silent rounds for labels that come late
};

// HistogramPointPredictor over two points, from the numbers it draws with, for
// the exact game. An input is a point or an absent user, its label (0, 1, or
// none for now), and whether a label 1 of the visible round before comes now,
// late. The label of a hidden round may come late by itself.
//
//   ExactGame game(ChallengeDistribution(MakeHistogramGame(points)), 12);
//
// For tests.
struct HistogramPointGame {
  using Number = double;
  struct Input {
    int point = -1;  // absent
    int label = -1;  // none
    bool previous = false;
    bool hidden = false;
    bool late = false;
    auto operator<=>(const Input&) const = default;
  };
  struct Cell {
    std::int8_t rounds = 0;
    std::int8_t active = 0;
    std::int8_t counted = 0;
    std::int8_t positives = 0;
    std::int8_t missing = 0;  // labels of the window that never came
    auto operator<=>(const Cell&) const = default;
  };
  struct State {
    std::array<std::int8_t, 2> lengths = {0, 0};
    std::int8_t flag = 0;
    std::int8_t count = 0;
    std::int8_t found = -1;
    std::int8_t at_trigger = 0;  // kFakeAtTrigger: occurrences then
    std::array<Cell, 2> cells = {};
    std::int8_t last = -1;  // the point of the round before, without a label
    bool last_window = false;
    bool last_hidden = false;
    bool last_late = false;
    auto operator<=>(const State&) const = default;
  };
  using Context = int;
  using Observation = int;  // 1: answered 1; 2: the histogram ran

  HistogramPointDesign design = {};
  int patience = 0;
  double activation = 0;
  std::vector<double> lengths;  // of 1, 2, ...
  double bin_theta = 0;
  double fake_theta = 0;
  int threshold = 0;
  BrokenHistogramPoints variant = BrokenHistogramPoints::kSound;
  std::vector<Input> inputs;
  std::vector<std::pair<Input, Input>> challenges;

  int k() const { return static_cast<int>(design.positives); }
  int window() const { return static_cast<int>(design.window); }
  int silent() const {
    return variant == BrokenHistogramPoints::kHasty ? 0 : patience;
  }
  int first_count() const {
    return variant == BrokenHistogramPoints::kNoDelay
               ? 1
               : static_cast<int>(design.first_count);
  }

  Context Start() const { return 0; }
  std::vector<Weighted<Number, State>> Initial() const;
  std::vector<Input> Inputs(const Context&) const { return inputs; }
  std::vector<std::pair<Input, Input>> Challenges(const Context&) const {
    return challenges;
  }
  std::vector<Outcome<Number, Observation, State>> Step(
      const Context&, const State& state, const Input& input) const;
  Observation Hide(const Observation& seen) const { return seen & 2; }
  Context Next(const Context&, const std::optional<Input>&,
               const Observation&) const {
    return 0;
  }

 private:
  using Outcomes = std::vector<Outcome<Number, Observation, State>>;
  struct Chance {
    double probability;
    State state;
  };
  std::vector<Chance> Trigger(const State& state) const;
  std::array<double, 3> Names(const State& state) const;
  double PassProbability(const State& state) const;
  void Ask(const State& state, double probability, bool active,
           const Input& input, Observation seen, Outcomes& outcomes) const;
  static void Label(const Input& input, bool in_window, int k, State& state);
  void Late(const State& before, const Input& input, State& state) const;
  int phase_one(const State& state) const {
    return state.lengths[0] + first_count() - 1;
  }
};

// Uses the distributions that the program draws from.
inline HistogramPointGame MakeHistogramGame(
    const HistogramPointPredictor& points) {
  HistogramPointGame game;
  game.design = points.params().design;
  game.patience = static_cast<int>(points.params().patience);
  game.activation = static_cast<double>(points.mirror().active());
  for (std::uint64_t n = 1; n <= points.mirror().length.last(); ++n) {
    game.lengths.push_back(
        static_cast<double>(points.mirror().length.Probability(n)));
  }
  game.bin_theta = std::exp(-points.histogram().rate());
  game.fake_theta = std::exp(-game.design.fake_epsilon);
  game.threshold = static_cast<int>(points.histogram().threshold());
  return game;
}

inline std::vector<Weighted<double, HistogramPointGame::State>>
HistogramPointGame::Initial() const {
  std::vector<Weighted<Number, State>> initial;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (std::size_t j = 0; j < lengths.size(); ++j) {
      State state;
      state.lengths = {static_cast<std::int8_t>(i + 1),
                       static_cast<std::int8_t>(j + 1)};
      initial.push_back({lengths[i] * lengths[j], state});
    }
  }
  return initial;
}

// Probabilities that the histogram names point 0, point 1, and none.
inline std::array<double, 3> HistogramPointGame::Names(
    const State& state) const {
  const bool half = variant == BrokenHistogramPoints::kHalfNoise;
  const DiscreteLaplaceDistribution<double> noise(half ? bin_theta * bin_theta
                                                       : bin_theta);
  const std::array<int, 2> counts = {state.cells[0].counted,
                                     state.cells[1].counted};
  constexpr int kFar = 60;
  // Pr[a bin shows v], or, below the threshold, nothing.
  const auto mass = [&](int i, int v) {
    const int count = counts[static_cast<std::size_t>(i)];
    return count == 0 ? 0 : noise.Mass(v - count);
  };
  const auto below = [&](int i, int v) {  // shows less than v
    const int count = counts[static_cast<std::size_t>(i)];
    return count == 0 ? 1 : noise.AtMost(v - 1 - count);
  };
  std::array<double, 3> names = {0, 0, 0};
  for (int v = threshold; v <= threshold + kFar; ++v) {
    names[0] += mass(0, v) * below(1, v + 1);  // ties: the smaller name
    names[1] += mass(1, v) * below(0, v);
  }
  names[2] = std::max(0.0, 1 - names[0] - names[1]);
  return names;
}

inline std::vector<HistogramPointGame::Chance> HistogramPointGame::Trigger(
    const State& state) const {
  if (state.flag != 0 || state.count < k()) return {{1, state}};
  const std::array<double, 3> names = Names(state);
  std::vector<Chance> chances;
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(i);
    State next = state;
    next.flag = 3;
    if (i < 2 && next.cells[at].active <= phase_one(next)) {
      next.flag = 1;
      next.found = static_cast<std::int8_t>(i);
      next.at_trigger = next.cells[at].rounds;
    }
    for (int j = 0; j < 2; ++j) {
      if (next.found != j) next.cells[static_cast<std::size_t>(j)] = {};
    }
    if (names[at] > 0) chances.push_back({names[at], next});
  }
  return chances;
}

inline double HistogramPointGame::PassProbability(const State& state) const {
  if (variant == BrokenHistogramPoints::kNoFakeTest) return 1;
  const Cell& cell = state.cells[static_cast<std::size_t>(state.found)];
  int seen = std::min<int>(cell.rounds, window());
  if (variant == BrokenHistogramPoints::kFakeAtTrigger) {
    seen = std::min<int>(state.at_trigger, window());
  }
  int zeros = std::max(seen - cell.positives, 0);
  if (variant == BrokenHistogramPoints::kMissingIsTrue) {
    zeros -= std::min<int>(cell.missing, zeros);
  }
  const DiscreteLaplaceDistribution<double> noise(fake_theta);
  return noise.AtMost(static_cast<int>(design.tolerance) - zeros);
}

inline void HistogramPointGame::Label(const Input& input, bool in_window, int k,
                                      State& state) {
  Cell& cell = state.cells[static_cast<std::size_t>(input.point)];
  if (in_window && input.label < 0) ++cell.missing;
  if (input.label != 1) return;
  if (in_window) ++cell.positives;
  if (state.flag == 0 && state.count < k) {
    ++cell.counted;
    ++state.count;
  }
}

// The delayed label of the round before, hidden or not.
inline void HistogramPointGame::Late(const State& before, const Input& input,
                                     State& state) const {
  const bool comes = before.last_hidden ? before.last_late : input.previous;
  if (before.last < 0 || !comes || patience == 0 || state.flag == 3) return;
  if (state.flag != 0 && state.found != before.last) return;
  Cell& cell = state.cells[static_cast<std::size_t>(before.last)];
  if (before.last_window) {
    ++cell.positives;
    if (cell.missing > 0) --cell.missing;
  }
  if (state.flag == 0 && state.count < k()) {
    ++cell.counted;
    ++state.count;
  }
}

inline void HistogramPointGame::Ask(const State& state, double probability,
                                    bool active, const Input& input,
                                    Observation seen,
                                    Outcomes& outcomes) const {
  State next = state;
  const auto finish = [&](State after, double weight, Observation shown) {
    if (weight <= 0) return;
    const Cell& old = state.cells[static_cast<std::size_t>(input.point)];
    const bool in_window = old.rounds < window();
    if (after.flag != 3 && (after.flag == 0 || after.found == input.point)) {
      Label(input, in_window, k(), after);
    }
    after.last = -1;
    if (input.label < 0 && patience > 0) {
      after.last = static_cast<std::int8_t>(input.point);
      after.last_window = in_window;
      after.last_hidden = input.hidden;
      after.last_late = input.late;
    }
    if (after.flag == 3) {
      after = {.lengths = {0, 0}, .flag = 3};
    }
    outcomes.push_back({weight, seen | shown, after});
  };
  if (state.flag == 3 || (state.flag != 0 && state.found != input.point)) {
    finish(next, probability, 0);
    return;
  }
  Cell& cell = next.cells[static_cast<std::size_t>(input.point)];
  ++cell.rounds;
  const bool counts = cell.rounds > silent();
  const int before = cell.active;
  if (counts && active) ++cell.active;
  const int first = phase_one(state);
  const bool top =
      counts && state.flag != 0 &&
      (before >= first + state.lengths[1] || (before >= first && active));
  if (!top || state.flag == 2) {
    finish(next, probability, top ? 1 : 0);
    return;
  }
  const double pass = PassProbability(next);
  State passed = next;
  passed.flag = 2;
  State ended = next;
  ended.flag = 3;
  finish(passed, probability * pass, 1);
  finish(ended, probability * (1 - pass), 0);
}

inline HistogramPointGame::Outcomes HistogramPointGame::Step(
    const Context&, const State& state, const Input& input) const {
  Outcomes outcomes;
  for (Chance& chance : Trigger(state)) {
    const Observation ran = variant == BrokenHistogramPoints::kShown &&
                                    state.flag == 0 && chance.state.flag != 0
                                ? 2
                                : 0;
    State before = chance.state;
    State cleared = before;
    cleared.last = -1;
    cleared.last_window = cleared.last_hidden = cleared.last_late = false;
    Outcomes here;
    if (input.point < 0) {
      if (cleared.flag == 3) cleared = {.lengths = {0, 0}, .flag = 3};
      here.push_back({chance.probability, ran, cleared});
    } else {
      Ask(cleared, chance.probability * activation, true, input, ran, here);
      Ask(cleared, chance.probability * (1 - activation), false, input, ran,
          here);
    }
    for (auto& outcome : here) {
      Late(before, input, outcome.state);
      outcomes.push_back(outcome);
    }
  }
  return outcomes;
}

}  // namespace sotto
