#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sotto/base/int128.h"
#include "sotto/testing/distributions/pop_adversary.h"
#include "sotto/testing/distributions/pop_round.h"
#include "sotto/testing/game_distribution.h"

namespace sotto {

// The procedure, or one of its broken variants: each is one deviation below.
enum class BrokenPopVariant {
  kSound,
  kIndexFromStates,  // Draws among the copies that are wrong on the example.
  kTwoCopies,        // Teaches the next copy as well.
  kChecksPaidOnly,   // Checks the Stopper after medium rounds only.
  kIndexOnLabels,    // Round robin that advances on labelled rounds only.
  kCachedAnswers,    // Repeats the answer given at a point before.
  kNoTags,           // A delayed label goes to the slot's new generation.
  kAbsentNoTick,     // An absent user leaves no round.
};
// The copy of a round: uniform, the next in turn, or chosen by the adversary,
// which is an upper envelope of all data-independent distributions.
enum class PopIndex { kUniform, kInTurn, kChosen };

// A whole private online procedure with warm standby, as an exact game: in each
// round the adversary brings a user and sees what leaves the round, or, once,
// brings the hidden pair and sees the index and whether the phase ended.
//
//   PopProcedure<double, TwoPointMemorizer> pop{
//       .round = {.theta = std::exp(-0.5), .low = 0, .high = 2, .copies = 2,
//                 .stopper_theta = std::exp(-1.0), .limit = 1}};
//   ExactGame game(pop, /*horizon=*/4);
//
// Paper: Black-Box Differential Privacy for Interactive ML, POP.
// Proof: sotto/testing/pop_procedure.mdshows that the game models the
// procedure.
template <typename N, typename Learner>
struct PopProcedure {
  using Number = N;
  using Move = PopMove;
  using Context = PopContext;
  // An example that waits for its label; slot -1 if there is none.
  struct Pending {
    std::int8_t slot = -1;
    std::int8_t point = 0;
    PopLabel label = PopLabel::kNever;
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const Pending&) const = default;
  };
  // Slot generation * copies + copy; generation 0 answers, 1 stands by.
  struct State {
    Uint128 checks = 0;        // Eight bits per count: checks passed there.
    std::uint32_t copies = 0;  // Two bits per slot: the learner's state.
    std::int8_t count = 0;     // Medium rounds of this phase, the hidden too.
    std::int8_t turn = 0;
    Pending user;
    Pending hidden;
    std::array<std::int8_t, 3> cache = {};  // By point: n - low + 1, or 0.
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const State&) const = default;
  };
  struct Observation {
    int n = 0;  // Clamped to the band; kUnseen in the hidden round.
    bool answer = false;
    int slot = -1;
    bool halted = false;
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const Observation&) const = default;
  };
  using Outcomes = std::vector<Outcome<Number, Observation, State>>;
  static constexpr int kUnseen = -1'000'000;
  static constexpr int kNever = 1'000'000;

  PopRoundDistribution<Number> round = {};
  int generations = 2;  // 1: restart with new copies, no standby.
  int phases = 2;       // The game ends with the last of them.
  PopIndex index = PopIndex::kUniform;
  bool shows_index = true;
  BrokenPopVariant variant = BrokenPopVariant::kSound;
  PopAdversary adversary = {};
  std::uint32_t start = 0;  // Public memory of the copies, slot by slot.
  int rounds = 0;           // Rounds of the game; omits useless moves.
  mutable std::map<Uint128, Number> survival = {};  // By checks.

  Context Start() const { return {}; }
  std::vector<Weighted<Number, State>> Initial(World) const {
    State state;
    state.copies = start;
    return {{Number(1), state}};
  }
  std::vector<Move> Moves(const Context& context) const {
    if (context.phase >= phases || context.settled) return {};
    const int chosen = index == PopIndex::kChosen ? Slots() : 0;
    // A label has its first effect in the next round, unless the index depends
    // on it.
    const bool prompt = variant == BrokenPopVariant::kIndexFromStates ||
                        variant == BrokenPopVariant::kIndexOnLabels;
    const int left = rounds == 0 || prompt ? 1000 : rounds - context.rounds;
    return adversary.Moves(context, Learner::kPoints, chosen, left);
  }
  Context Next(const Context& context, const Move& move,
               const Observation& seen) const {
    if (variant != BrokenPopVariant::kSound || !shows_index) {
      return context.After(move, seen.halted, kNever);
    }
    const int generation = move.HasLabel() ? seen.slot / round.copies : 0;
    return context.After(move, seen.halted, generation);
  }
  Outcomes Step(World world, const Context&, const State& state,
                const Move& move) const {
    const auto w = static_cast<std::size_t>(world);
    const PopInput& input = move.input[w];
    const State now = Delivered(state, move, w);
    if (variant == BrokenPopVariant::kAbsentNoTick &&
        input.point == PopInput::kAbsent) {
      return {{Number(1), {kUnseen, false, -1, false}, now}};
    }
    Outcomes outcomes;
    const auto slots = Drawn(now, input, move);
    for (const Cell& cell : Cells(now, input)) {
      for (const auto& [slot, share] : slots) {
        Close(cell, slot, Number(share * cell.probability), now, move, input,
              outcomes);
      }
    }
    return outcomes;
  }

  // Copies of one generation are interchangeable, unless they are used in turn:
  // sorts them by memory and pending labels, in all states at once.
  std::vector<State> Relabel(std::vector<State> states) const {
    if (index == PopIndex::kInTurn || variant == BrokenPopVariant::kTwoCopies) {
      return states;
    }
    std::vector<std::int8_t> place(static_cast<std::size_t>(Slots()));
    for (int g = 0; g < generations; ++g) Sort(g, states, place);
    for (State& s : states) {
      std::uint32_t moved = 0;
      for (int slot = 0; slot < Slots(); ++slot) {
        moved |= Knows(s, slot) << 2 * place[static_cast<std::size_t>(slot)];
      }
      s.copies = moved;
      for (Pending* p : {&s.user, &s.hidden}) {
        if (p->slot < 0) continue;
        p->slot = place[static_cast<std::size_t>(p->slot)];
      }
    }
    return states;
  }

 private:
  struct Cell {
    Number probability;
    int n;
    bool medium;
    bool answer;
  };

  int Slots() const { return generations * round.copies; }
  static unsigned Knows(const State& state, int slot) {
    return state.copies >> 2 * slot & 3U;
  }

  // Possible outcomes of the vote. Prediction changes no state.
  std::vector<Cell> Cells(const State& state, const PopInput& input) const {
    if (input.point == PopInput::kAbsent) {
      return {{Number(1), kUnseen, false, false}};
    }
    const int kept = state.cache[static_cast<std::size_t>(input.point)];
    if (kept != 0) {
      const int n = kept - 1 + round.low;
      return {{Number(1), n, false, round.GetAnswer(n)}};
    }
    int votes = 0;
    for (int copy = 0; copy < round.copies; ++copy) {
      votes += Learner::Predict(Knows(state, copy), input.point) ? 1 : 0;
    }
    std::vector<Cell> cells;
    for (const auto& v : round.Votes(votes)) {
      cells.push_back(
          {v.probability, v.n, v.zone == PopZone::kMedium, v.answer});
    }
    return cells;
  }

  // The index distribution, by slot.
  std::vector<std::pair<int, Number>> Drawn(const State& state,
                                            const PopInput& input,
                                            const Move& move) const {
    if (index == PopIndex::kInTurn) return {{state.turn, Number(1)}};
    if (index == PopIndex::kChosen) return {{move.slot, Number(1)}};
    if (!move.HasLabel()) return {{0, Number(1)}};  // Unused.
    std::vector<int> slots;
    for (int slot = 0; slot < Slots(); ++slot) {
      if (variant != BrokenPopVariant::kIndexFromStates ||
          Errs(state, slot, input)) {
        slots.push_back(slot);
      }
    }
    if (slots.empty()) {
      for (int slot = 0; slot < Slots(); ++slot) slots.push_back(slot);
    }
    const Number share = Number(1) / static_cast<int>(slots.size());
    std::vector<std::pair<int, Number>> drawn;
    for (int slot : slots) drawn.emplace_back(slot, share);
    return drawn;
  }
  static bool Errs(const State& state, int slot, const PopInput& input) {
    const bool known =
        input.label == PopLabel::kZero || input.label == PopLabel::kOne;
    return known && Learner::Predict(Knows(state, slot), input.point) !=
                        (input.label == PopLabel::kOne);
  }

  // The end of a round: count, check, handover, label.
  void Close(const Cell& cell, int slot, const Number& weight, const State& now,
             const Move& move, const PopInput& input,
             Outcomes& outcomes) const {
    State next = now;
    Observation seen{move.hidden ? kUnseen : cell.n,
                     !move.hidden && cell.answer, shows_index ? slot : -1,
                     false};
    const bool present = input.point != PopInput::kAbsent;
    if (variant == BrokenPopVariant::kCachedAnswers && present) {
      next.cache[static_cast<std::size_t>(input.point)] =
          static_cast<std::int8_t>(cell.n - round.low + 1);
    }
    if (index == PopIndex::kInTurn &&
        (variant != BrokenPopVariant::kIndexOnLabels ||
         input.label != PopLabel::kNever)) {
      next.turn = static_cast<std::int8_t>((now.turn + 1) % Slots());
    }
    if (cell.medium) ++next.count;
    Number survives = 1;
    if (variant != BrokenPopVariant::kChecksPaidOnly || cell.medium) {
      next.checks += Uint128{1} << 8 * next.count;
      survives = Survival(next.checks) / Survival(now.checks);
    }
    State fresh = next;
    PhaseEnd(fresh);
    Receive(next, slot, cell, move, input);
    Receive(fresh, Moved(slot), cell, move, input);
    outcomes.push_back({weight * survives, seen, std::move(next)});
    seen.halted = true;
    outcomes.push_back({weight * (1 - survives), seen, std::move(fresh)});
  }

  // Pr[the Stopper passes these checks].
  const Number& Survival(Uint128 checks) const {
    const auto found = survival.find(checks);
    if (found != survival.end()) return found->second;
    std::vector<int> counts;
    for (int c = 0; c < 16; ++c) {
      counts.insert(counts.end(), Low64(checks >> 8 * c) & 255U, c);
    }
    return survival
        .emplace(checks,
                 StopperSurvival(round.stopper_theta, round.limit, counts))
        .first->second;
  }

  // The standby answers from now on, and a new generation stands by.
  void PhaseEnd(State& state) const {
    state.copies = generations == 1 ? start : state.copies >> 2 * round.copies;
    state.count = 0;
    state.checks = 0;
    for (Pending* p : {&state.user, &state.hidden}) {
      p->slot = static_cast<std::int8_t>(Moved(p->slot));
      if (p->slot < 0) *p = Pending{};
    }
  }
  // A slot after the handover; -1 if its generation is gone.
  int Moved(int slot) const {
    if (slot < 0) return -1;
    if (variant == BrokenPopVariant::kNoTags) {
      return (slot + Slots() - round.copies) % Slots();
    }
    return std::max(slot - round.copies, -1);
  }

  // The example of the round that just ended, with its label or waiting for it.
  void Receive(State& state, int slot, const Cell& cell, const Move& move,
               const PopInput& input) const {
    if (slot < 0 || input.label == PopLabel::kNever) return;
    PopLabel label = input.label;
    const bool opposite = label == PopLabel::kOpposite;
    if (label == PopLabel::kAnswer || opposite) {
      label = cell.answer != opposite ? PopLabel::kOne : PopLabel::kZero;
    }
    if (input.late) {
      (move.hidden ? state.hidden : state.user) = {
          static_cast<std::int8_t>(slot), static_cast<std::int8_t>(input.point),
          label};
    } else {
      Teach(state, slot, input.point, label);
    }
  }
  void Teach(State& state, int slot, int point, PopLabel label) const {
    const std::uint32_t taught =
        Learner::Teach(Knows(state, slot), point, label == PopLabel::kOne);
    state.copies &= ~(3U << 2 * slot);
    state.copies |= taught << 2 * slot;
    if (variant != BrokenPopVariant::kTwoCopies) return;
    const int k = round.copies;
    const int other = slot / k * k + (slot + 1) % k;
    const std::uint32_t also =
        Learner::Teach(Knows(state, other), point, label == PopLabel::kOne);
    state.copies = (state.copies & ~(3U << 2 * other)) | also << 2 * other;
  }

  // Delayed labels that arrive before this round.
  State Delivered(State state, const Move& move, std::size_t world) const {
    if (move.arrives != PopLabel::kNever && state.user.slot >= 0) {
      Teach(state, state.user.slot, state.user.point, move.arrives);
    }
    if (move.arrives != PopLabel::kNever) state.user = {};
    if (move.releases[world] && state.hidden.slot >= 0) {
      Teach(state, state.hidden.slot, state.hidden.point, state.hidden.label);
    }
    if (move.releases[world]) state.hidden = {};
    return state;
  }

  // place[slot] for the slots of generation g.
  void Sort(int g, const std::vector<State>& states,
            std::vector<std::int8_t>& place) const {
    std::vector<std::pair<std::vector<unsigned>, int>> columns;
    for (int copy = 0; copy < round.copies; ++copy) {
      const int slot = g * round.copies + copy;
      auto& [column, of] = columns.emplace_back();
      of = slot;
      for (const State& s : states) {
        column.push_back(Knows(s, slot) | (s.user.slot == slot ? 4U : 0U) |
                         (s.hidden.slot == slot ? 8U : 0U));
      }
    }
    std::sort(columns.begin(), columns.end());
    for (int copy = 0; copy < round.copies; ++copy) {
      const auto& column = columns[static_cast<std::size_t>(copy)];
      place[static_cast<std::size_t>(column.second)] =
          static_cast<std::int8_t>(g * round.copies + copy);
    }
  }
};

}  // namespace sotto
