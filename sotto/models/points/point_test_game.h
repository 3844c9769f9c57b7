#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/models/points/count_gate.h"
#include "sotto/models/points/lopsided_step.h"
#include "sotto/testing/challenge_distribution.h"
#include "sotto/testing/game_distribution.h"

namespace sotto {

// Ways to get a point predictor wrong.
enum class BrokenPointVariant : std::uint8_t {
  kSound,
  kRecomputed,  // the gate is drawn again at each "top"
  kFree,        // only rounds labelled 1 move the mirror on
  kShown,       // everybody sees when a point passes its gate
  kHasty,       // does not wait for delayed labels before it decides
  kNoTick,      // empty rounds do not move the clock
};

// A point predictor over two points, from the integers it draws with, for the
// exact game. An input is a point or an absent user, whether its label, a 1,
// comes at once, and whether the label of the visible round before comes now,
// late. The label of a hidden round may come late by itself.
//
//   ExactGame game(ChallengeDistribution(PointGame{...}), /*horizon=*/9);
//
// For tests.
struct PointGame {
  using Number = double;
  struct Input {
    int point = -1;  // absent
    bool y = false;
    bool previous = false;
    bool hidden = false;
    bool late = false;
    auto operator<=>(const Input&) const = default;
  };
  struct Cell {
    std::int8_t rounds = 0;
    std::int8_t positives = 0;
    std::int8_t level = kUndecided;  // or "bottoms" left
    auto operator<=>(const Cell&) const = default;
  };
  struct State {
    std::array<Cell, 2> cells = {};
    std::int8_t last = -1;     // the point of the round before, if it counts
    bool last_hidden = false;  // whose delayed label is `last_late`
    bool last_late = false;
    auto operator<=>(const State&) const = default;
  };
  using Context = int;      // nothing: the adversary's inputs are in the state
  using Observation = int;  // 1: answered 1; 2: shown to have passed
  static constexpr std::int8_t kUndecided = -1;
  static constexpr std::int8_t kRejected = -2;

  std::vector<double> passes;  // of counts 0, ..., W
  std::vector<double> steps;   // of 1, ..., L "bottoms"
  int patience = 0;
  BrokenPointVariant variant = BrokenPointVariant::kSound;
  std::vector<Input> inputs;
  std::vector<std::pair<Input, Input>> challenges;

  int window() const { return static_cast<int>(passes.size()) - 1; }
  int silent() const {
    return window() + (variant == BrokenPointVariant::kHasty ? 0 : patience);
  }

  Context Start() const { return 0; }
  std::vector<Weighted<Number, State>> Initial() const { return {{1, {}}}; }
  std::vector<Input> Inputs(const Context&) const { return inputs; }
  std::vector<std::pair<Input, Input>> Challenges(const Context&) const {
    return challenges;
  }
  std::vector<Outcome<Number, Observation, State>> Step(
      const Context&, const State& state, const Input& input) const;
  // The round's own answer is hidden; what everybody sees is not.
  Observation Hide(const Observation& seen) const { return seen & 2; }
  Context Next(const Context&, const std::optional<Input>&,
               const Observation&) const {
    return 0;
  }

 private:
  using Outcomes = std::vector<Outcome<Number, Observation, State>>;
  struct Answer {
    double probability;
    Observation seen;
    Cell cell;
  };
  std::vector<Answer> Answers(Cell cell, bool y) const;
  std::vector<Answer> Decide(const Cell& cell, bool y) const;
  std::vector<Answer> Mirrored(const Cell& cell, bool y) const;
};

// Uses the distributions that the program draws from.
inline PointGame MakeGame(const CountGate& gate, const LopsidedStep& step) {
  PointGame game;
  game.passes.push_back(0);
  for (std::uint64_t k = 1; k <= gate.size(); ++k) {
    game.passes.push_back(
        game.passes.back() +
        static_cast<double>(gate.distribution().Probability(k)));
  }
  for (std::uint64_t k = 1; k <= step.worst_mistakes(); ++k) {
    game.steps.push_back(
        static_cast<double>(step.distribution().Probability(k)));
  }
  return game;
}

// A cell in a mirror, `level` "bottoms" left.
inline std::vector<PointGame::Answer> PointGame::Mirrored(const Cell& cell,
                                                          bool y) const {
  if (cell.level == 0) {
    if (variant != BrokenPointVariant::kRecomputed) return {{1, 1, cell}};
    const double pass = passes[static_cast<std::size_t>(cell.positives)];
    return {{pass, 1, cell}, {1 - pass, 0, cell}};
  }
  Cell next = cell;
  if (variant != BrokenPointVariant::kFree || y) --next.level;
  return {{1, 0, next}};
}

inline std::vector<PointGame::Answer> PointGame::Decide(const Cell& cell,
                                                        bool y) const {
  const double pass = variant == BrokenPointVariant::kRecomputed
                          ? 1
                          : passes[static_cast<std::size_t>(cell.positives)];
  std::vector<Answer> answers;
  Cell next = cell;
  next.level = kRejected;
  answers.push_back({1 - pass, 0, next});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    next.level = static_cast<std::int8_t>(i);  // the first "bottom" was silent
    for (Answer answer : Mirrored(next, y)) {
      answer.probability *= pass * steps[i];
      if (variant == BrokenPointVariant::kShown) answer.seen |= 2;
      answers.push_back(answer);
    }
  }
  return answers;
}

inline std::vector<PointGame::Answer> PointGame::Answers(Cell cell,
                                                         bool y) const {
  const bool decides = cell.rounds == silent();
  if (cell.rounds <= window() + patience) ++cell.rounds;
  if (cell.level == kRejected) return {{1, 0, cell}};
  if (decides && cell.level == kUndecided) return Decide(cell, y);
  if (cell.level == kUndecided) return {{1, 0, cell}};
  return Mirrored(cell, y);
}

inline PointGame::Outcomes PointGame::Step(const Context&, const State& state,
                                           const Input& input) const {
  State base = state;
  // The delayed label of the round before, hidden or not.
  const auto late = [&](State& s) {
    const bool comes = state.last_hidden ? state.last_late : input.previous;
    if (state.last >= 0 && comes) {
      ++s.cells[static_cast<std::size_t>(state.last)].positives;
    }
  };
  if (input.point < 0 && variant == BrokenPointVariant::kNoTick)
    return {{1, 0, base}};
  base.last = -1;
  base.last_hidden = false;
  base.last_late = false;
  if (input.point < 0) {
    late(base);
    return {{1, 0, base}};
  }
  const auto at = static_cast<std::size_t>(input.point);
  const bool counts = state.cells[at].rounds < window();
  Outcomes outcomes;
  for (const Answer& answer : Answers(state.cells[at], input.y)) {
    if (answer.probability == 0) continue;
    State next = base;
    next.cells[at] = answer.cell;
    late(next);
    if (counts && input.y) ++next.cells[at].positives;
    if (counts && !input.y && patience > 0) {
      next.last = static_cast<std::int8_t>(input.point);
      next.last_hidden = input.hidden;
      next.last_late = input.late;
    }
    outcomes.push_back({answer.probability, answer.seen, next});
  }
  return outcomes;
}

}  // namespace sotto
