#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "sotto/base/int128.h"
#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/distributions/pop_round.h"
#include "sotto/testing/game_distribution.h"

namespace sotto {

// The everlasting predictor, or one of its broken variants: each is one
// deviation in the distribution below.
enum class BrokenEverlastingVariant {
  kSound,
  kChunkFromData,     // Kept queries are dealt out in turn, two at a time.
  kTwoTeachers,       // A labelled row is in the chunks of two teachers.
  kTwoChunks,         // An answered query goes to two teachers.
  kNoCheckWhenEmpty,  // An empty round skips the Stopper.
  kKeptIfSure,        // A query is kept if its noisy vote is far from the band.
  kMediumKept,        // A medium query is kept as well.
};

// A whole everlasting predictor as an exact game: teachers that remember the
// last label of each of at most two points; a training set, in which one row
// may differ; queries, of which one may be hidden and differ; phases that end
// by the Stopper or by the clock. The adversary chooses the teacher of each
// row, which is at least as bad as any data-independent draw.
//
//   EverlastingDistribution<double> distribution{
//       .round = {.theta = std::exp(-0.5), .low = 0, .high = 2, .copies = 2,
//                 .stopper_theta = std::exp(-1.0), .limit = 1}};
//   ExactGame game(distribution, /*horizon=*/5);
//
// Paper: Private Truly-Everlasting Robust-Prediction, Figure 1.
// Proof: sotto/models/everlasting/everlasting.md, "Checked".
template <typename N>
struct EverlastingDistribution {
  using Number = N;
  static constexpr int kAbsent = -1;
  static constexpr int kUnseen = -1'000'000;

  struct Context {
    int phase = 0;
    int phase_rounds = 0;
    int rounds = 0;
    int moves = 0;
    int last = kOpen;  // the last phase in which the worlds can differ
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const Context&) const = default;
  };
  struct Move {
    std::array<int, 2> point = {kAbsent, kAbsent};  // by world
    std::array<bool, 2> label = {};                 // of a labelled row
    int slot = 0;
    bool hidden = false;
    bool trains = false;
  };
  struct State {
    Uint128 checks = 0;         // Eight bits a count: checks passed there.
    std::uint32_t active = 0;   // Two bits a teacher.
    std::uint32_t waiting = 0;  // The same, of the phase after.
    std::int8_t count = 0;      // Mediums of this phase, the hidden one too.
    std::int8_t kept = 0;       // Queries of this phase, for kChunkFromData.
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const State&) const = default;
  };
  struct Observation {
    int n = kUnseen;  // Clamped to the band.
    bool halted = false;
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const Observation&) const = default;
  };
  using Outcomes = std::vector<Outcome<Number, Observation, State>>;

  PopRoundDistribution<Number> round = {};
  // Round distribution of the first phase, if it has copies. Its Stopper is the
  // same.
  PopRoundDistribution<Number> first = {.copies = 0};
  int points = 1;
  int phases = 3;
  int clock = 0;           // Rounds of a phase; 0: the Stopper alone ends it.
  int first_clock = 0;     // The same, of the first phase; 0: as the others.
  bool keeps_all = false;  // Every query is kept, as where each is paid for.
  bool replace = true;
  bool trains = true;       // One labelled row may be the challenge.
  bool queries = true;      // One query may be.
  std::uint32_t start = 0;  // Memory after the training set.
  // Teachers that predict 1 while all their rows are at one point, for any
  // labels: their predictions depend on which rows are together.
  bool groups = false;
  std::vector<Move> script = {};  // If not empty: how the game begins.
  BrokenEverlastingVariant variant = BrokenEverlastingVariant::kSound;
  mutable std::map<Uint128, Number> survival = {};  // By checks.

  Context Start() const { return {}; }
  std::vector<Weighted<Number, State>> Initial(World) const {
    State state;
    state.active = start;
    return {{Number(1), state}};
  }
  std::vector<Move> Moves(const Context& context) const {
    if (context.phase >= phases || context.phase > context.last) return {};
    if (const auto i = static_cast<std::size_t>(context.moves);
        i < script.size()) {
      return {script[i]};
    }
    std::vector<Move> moves;
    for (int slot = 0; slot < round.copies; ++slot) {
      for (int x = 0; x < points; ++x) {
        moves.push_back({.point = {x, x}, .slot = slot});
      }
      if (context.last != kOpen) continue;
      if (queries) AddQueries(slot, moves);
      if (trains && context.rounds == 0) AddRows(slot, moves);
    }
    return moves;
  }
  Context Next(const Context& context, const Move& move,
               const Observation& seen) const {
    Context next = context;
    ++next.moves;
    // A row kept for an unseen reason outlives its phase.
    const bool lasts =
        !move.trains || variant == BrokenEverlastingVariant::kKeptIfSure;
    if (move.hidden) next.last = context.phase + (lasts ? 1 : 0);
    if (move.trains) return next;
    ++next.rounds;
    ++next.phase_rounds;
    if (seen.halted || EndsByClock(context)) {
      ++next.phase;
      next.phase_rounds = 0;
    }
    return next;
  }
  Outcomes Step(World world, const Context& context, const State& state,
                const Move& move) const {
    const auto w = static_cast<std::size_t>(world);
    const int point = move.point[w];
    if (move.trains) {
      State next = state;
      if (point != kAbsent) {
        Teach(next.active, move.slot, point, move.label[w]);
        if (variant == BrokenEverlastingVariant::kTwoTeachers) {
          Teach(next.active, After(move.slot), point, move.label[w]);
        }
      }
      return {{Number(1), {}, next}};
    }
    Outcomes outcomes;
    const PopRoundDistribution<Number>& distribution =
        context.phase == 0 && first.copies > 0 ? first : round;
    for (const Cell& cell : Cells(distribution, state, point)) {
      Close(cell, point, context, state, move, outcomes);
    }
    return outcomes;
  }

 private:
  static constexpr int kOpen = 1'000'000;  // no challenge yet
  struct Cell {
    Number probability;
    int n = kUnseen;
    bool medium = false;
    bool kept = false;
    bool answer = false;
  };

  int After(int slot) const { return (slot + 1) % round.copies; }
  bool EndsByClock(const Context& context) const {
    const int ends =
        context.phase == 0 && first_clock > 0 ? first_clock : clock;
    return ends > 0 && context.phase_rounds + 1 >= ends;
  }
  bool Says(std::uint32_t teachers, int slot, int point) const {
    const std::uint32_t knows = teachers >> 2 * slot & 3U;
    return groups ? knows == 1 || knows == 2 : (knows >> point & 1U) != 0;
  }
  void Teach(std::uint32_t& teachers, int slot, int point, bool label) const {
    const std::uint32_t bit = 1U << (2 * slot + point);
    teachers = label || groups ? teachers | bit : teachers & ~bit;
  }

  // Under add-remove one of the two is empty.
  void AddQueries(int slot, std::vector<Move>& moves) const {
    for (int p = kAbsent; p < points; ++p) {
      for (int q = kAbsent; q < points; ++q) {
        if (p == q || (!replace && p != kAbsent && q != kAbsent)) continue;
        moves.push_back({.point = {p, q}, .slot = slot, .hidden = true});
      }
    }
  }
  void AddRows(int slot, std::vector<Move>& moves) const {
    for (int x = 0; x < points; ++x) {
      for (const bool y : {false, true}) {
        Move move{.point = {x, kAbsent},
                  .label = {y, y},
                  .slot = slot,
                  .hidden = true,
                  .trains = true};
        moves.push_back(move);
        move.point = {kAbsent, x};
        moves.push_back(move);
        if (!replace) continue;
        move.point = {x, x};
        move.label = {y, !y};
        moves.push_back(move);
      }
    }
  }

  std::vector<Cell> Cells(const PopRoundDistribution<Number>& distribution,
                          const State& state, int point) const {
    if (point == kAbsent) return {{.probability = Number(1)}};
    int votes = 0;
    for (int slot = 0; slot < round.copies; ++slot) {
      votes += Says(state.active, slot, point) ? 1 : 0;
    }
    std::vector<Cell> cells;
    for (const auto& vote : distribution.Votes(votes)) {
      const bool medium = vote.zone == PopZone::kMedium;
      const bool kept = !medium || keeps_all ||
                        variant == BrokenEverlastingVariant::kMediumKept;
      cells.push_back({vote.probability, vote.n, medium, kept, vote.answer});
      if (medium || variant != BrokenEverlastingVariant::kKeptIfSure) continue;
      // At the edge of the band it is not kept, and the adversary does not see
      // that.
      const DiscreteLaplaceDistribution<Number> noise(distribution.theta);
      Cell edge = cells.back();
      edge.probability = noise.Mass(vote.n - votes);
      edge.kept = false;
      cells.back().probability -= edge.probability;
      cells.push_back(edge);
    }
    return cells;
  }

  // The answered query becomes a row of the teachers after these.
  void Keep(State& state, const Move& move, int point, bool answer) const {
    int slot = move.slot;
    if (variant == BrokenEverlastingVariant::kChunkFromData) {
      slot = state.kept++ / 2 % round.copies;
    }
    Teach(state.waiting, slot, point, answer);
    if (variant == BrokenEverlastingVariant::kTwoChunks) {
      Teach(state.waiting, After(slot), point, answer);
    }
  }

  void Close(const Cell& cell, int point, const Context& context,
             const State& now, const Move& move, Outcomes& outcomes) const {
    State next = now;
    const Observation seen{move.hidden ? kUnseen : cell.n, false};
    if (cell.medium) ++next.count;
    if (cell.kept) Keep(next, move, point, cell.answer);
    Number survives = 1;
    if (variant != BrokenEverlastingVariant::kNoCheckWhenEmpty ||
        point != kAbsent) {
      next.checks += Uint128{1} << 8 * next.count;
      survives = Survival(next.checks) / Survival(now.checks);
    }
    State fresh;
    fresh.active = next.waiting;
    const State& later = EndsByClock(context) ? fresh : next;
    outcomes.push_back({cell.probability * survives, seen, later});
    outcomes.push_back(
        {cell.probability * (1 - survives), {seen.n, true}, fresh});
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
};

}  // namespace sotto
