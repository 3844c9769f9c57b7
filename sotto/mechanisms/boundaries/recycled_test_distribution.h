#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <variant>
#include <vector>

#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/distributions/stopper.h"
#include "sotto/testing/game_distribution.h"

namespace sotto::testing {

// The traces of one hidden query that was medium on one side: a Stopper whose
// count is larger by one in world P; and, once that has halted, `copies`
// threshold tests whose counts differ by one between the worlds, each until its
// own Stopper halts. The rules give one copy. A query that is put on two sides
// leaves two.
//
// With `trained` there is no first Stopper: the traces of a training record, on
// as many sides as there are copies.
//
// The adversary chooses every count, so that the game is at least as good to
// him as any predictor.
struct RecycledDistribution {
  using Number = double;
  using State = std::monostate;
  struct Observation {
    bool halted = false;
    int zone = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const Observation&) const = default;
  };
  struct Copy {
    int count = 0;
    int tests = 0;  // since the last check
    bool halted = false;
    std::vector<int> checked;
    // NOLINTNEXTLINE(modernize-use-nullptr): likewise.
    auto operator<=>(const Copy&) const = default;
  };
  struct Context {
    bool recycled = false;
    int added = 0;                            // before that
    std::array<std::vector<int>, 2> checked;  // by world
    std::vector<Copy> copies;
    // NOLINTNEXTLINE(modernize-use-nullptr): likewise.
    auto operator<=>(const Context&) const = default;
  };
  struct Move {
    int added = 0;  // before the halt
    std::size_t copy = 0;
    int p = 0;
    int q = 0;
  };

  double theta = 0.8;          // of the tests
  double stopper_theta = 0.5;  // of all Stoppers
  int gap = 1;                 // a band of 1, ..., gap
  int limit = 1;
  int copies = 1;
  bool trained = false;
  int rounds_per_check = 1;

  Context Start() const {
    Context context;
    context.recycled = trained;
    context.copies.resize(static_cast<std::size_t>(copies));
    return context;
  }
  std::vector<Weighted<Number, State>> Initial(World) const {
    return {{1.0, {}}};
  }
  std::vector<Move> Moves(const Context& context) const {
    if (!context.recycled) return {{.added = 0}, {.added = 1}};
    std::vector<Move> moves;
    for (std::size_t c = 0; c < context.copies.size(); ++c) {
      if (context.copies[c].halted) continue;
      for (const int v : {0, gap}) {
        moves.push_back({0, c, v, v + 1});
        moves.push_back({0, c, v + 1, v});
      }
    }
    return moves;
  }
  std::vector<Outcome<Number, Observation, State>> Step(
      World world, const Context& context, const State&,
      const Move& move) const {
    if (!context.recycled) return FirstHalt(world, context, move);
    const DiscreteLaplaceDistribution<double> noise(theta);
    const int count = world == World::kP ? move.p : move.q;
    const double low = noise.AtMost(-count);
    const double high = noise.AtLeast(gap + 1 - count);
    std::vector<Outcome<Number, Observation, State>> outcomes;
    for (const int zone : {0, 1, 2}) {
      const double chance = zone == 0 ? low : zone == 2 ? high : 1 - low - high;
      Copy copy = context.copies[move.copy];
      const double before = Survival(copy.checked);
      Count(zone, copy);
      const double survives = Survival(copy.checked) / before;
      outcomes.push_back({chance * survives, {false, zone}, {}});
      outcomes.push_back({chance * (1 - survives), {true, zone}, {}});
    }
    return outcomes;
  }
  Context Next(const Context& context, const Move& move,
               const Observation& seen) const {
    Context next = context;
    if (!context.recycled) {
      next.added += move.added;
      next.recycled = seen.halted;
      next.checked[0].push_back(next.added + 1);
      next.checked[1].push_back(next.added);
      // From the halt on they are of no use.
      if (seen.halted) next.checked = {};
      if (seen.halted) next.added = 0;
      return next;
    }
    Copy& copy = next.copies[move.copy];
    Count(seen.zone, copy);
    if (seen.halted) copy = Copy{.halted = true, .checked = {}};
    return next;
  }

 private:
  double Survival(const std::vector<int>& counts) const {
    return StopperSurvival(stopper_theta, limit, counts);
  }
  void Count(int zone, Copy& copy) const {
    copy.count += zone == 1 ? 1 : 0;
    if (++copy.tests < rounds_per_check) return;
    copy.tests = 0;
    copy.checked.push_back(copy.count);
  }
  std::vector<Outcome<Number, Observation, State>> FirstHalt(
      World world, const Context& context, const Move& move) const {
    const auto w = static_cast<std::size_t>(world);
    std::vector<int> counts = context.checked[w];
    const double before = Survival(counts);
    counts.push_back(context.added + move.added + (w == 0 ? 1 : 0));
    const double survives = Survival(counts) / before;
    return {{survives, {false, 0}, {}}, {1 - survives, {true, 0}, {}}};
  }
};

}  // namespace sotto::testing
