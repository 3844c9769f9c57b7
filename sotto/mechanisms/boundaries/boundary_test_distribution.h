#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/distributions/stopper.h"
#include "sotto/testing/game_distribution.h"

namespace sotto::testing {

// A small but complete predictor, as a game: points of a tiny line, one or two
// sides, phases of a few rounds. It does everything that BoundaryPredictor
// does, with exact distributions in place of samplers. The adversary sees more
// than any user: on which side a query was decided and how, and when sides
// started over.
//
// A hidden round shows only which sides started over. A medium answer goes
// where the rules say, or where a broken variant puts it.
struct BoundaryRules {
  int sides = 1;
  int points = 2;  // 0, 1, ..., points - 1
  // Of both kinds of copies; rounds_per_check is 1.
  double initial_theta = 0.5;  // e^-e0
  double recycled_theta = 0.5;
  double stopper_theta = 0.5;  // e^-es
  int low = 0;
  int high = 2;
  int size = 2;
  int limit = 1;
  std::vector<int> lengths = {9};  // of phases
  // Positives of the training set, by world.
  std::vector<int> training_p = {};
  std::vector<int> training_q = {};
  bool query_differs = true;
  bool replace = false;
  // Broken variants.
  bool medium_to_all_sides = false;
  bool medium_to_next_phase = false;
  bool skip_check_if_absent = false;
  bool release_count = false;  // of a medium, without noise
};

class BoundaryDistribution {
 public:
  using Number = double;
  struct Side {
    bool recycled = false;
    int count = 0;  // mediums
    std::vector<int> set;
    std::vector<int> undecided;
    std::vector<int> checked;  // counts at the checks since the copy began
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const Side&) const = default;
  };
  struct State {
    std::vector<Side> sides;
    std::vector<int> inside;  // for the next phase
    // NOLINTNEXTLINE(modernize-use-nullptr): likewise.
    auto operator<=>(const State&) const = default;
  };
  struct Context {
    int phase = 0;
    int ticks = 0;
    bool challenged = false;
    // NOLINTNEXTLINE(modernize-use-nullptr): likewise.
    auto operator<=>(const Context&) const = default;
  };
  // Which sides started over, and what became of the query.
  struct Observation {
    unsigned restarted = 0;
    int decided = -1;  // the last side asked; -1: none
    int zone = 0;
    int count = -1;  // in a broken variant
    // NOLINTNEXTLINE(modernize-use-nullptr): likewise.
    auto operator<=>(const Observation&) const = default;
  };
  static constexpr int kAbsent = -1;
  struct Move {
    int p = kAbsent;
    int q = kAbsent;
    bool hidden = false;
  };
  using Steps = std::vector<Outcome<Number, Observation, State>>;

  explicit BoundaryDistribution(BoundaryRules rules)
      : rules_(std::move(rules)) {}

  Context Start() const { return {}; }
  std::vector<Weighted<Number, State>> Initial(World world) const {
    const auto& training =
        world == World::kP ? rules_.training_p : rules_.training_q;
    State state;
    state.inside = training;
    BeginPhase(state);
    return {{1.0, state}};
  }
  std::vector<Move> Moves(const Context& context) const {
    std::vector<Move> moves;
    if (context.phase == static_cast<int>(rules_.lengths.size())) return moves;
    for (int x = kAbsent; x < rules_.points; ++x) {
      moves.push_back({x, x, false});
      if (context.challenged || !rules_.query_differs || x == kAbsent) continue;
      moves.push_back({x, kAbsent, true});
      for (int y = 0; rules_.replace && y < rules_.points; ++y) {
        if (y != x) moves.push_back({x, y, true});
      }
    }
    return moves;
  }
  Steps Step(World world, const Context& context, const State& state,
             const Move& move) const {
    State begun = state;
    if (context.ticks == 0 && context.phase > 0) BeginPhase(begun);
    const int x = world == World::kP ? move.p : move.q;
    Steps steps = {{1.0, {}, begun}};
    if (x != kAbsent || !rules_.skip_check_if_absent) {
      for (std::size_t s = 0; s < begun.sides.size(); ++s) Check(s, steps);
    }
    if (x != kAbsent) steps = Ask(x, steps);
    if (!move.hidden) return steps;
    for (auto& step : steps) {
      step.observation = {.restarted = step.observation.restarted};
    }
    return steps;
  }
  Context Next(const Context& context, const Move& move,
               const Observation&) const {
    Context next = context;
    next.challenged = context.challenged || move.hidden;
    if (++next.ticks == rules_.lengths[static_cast<std::size_t>(next.phase)]) {
      ++next.phase;
      next.ticks = 0;
    }
    return next;
  }

 private:
  // Side 1 sees the line mirrored.
  int At(std::size_t side, int x) const {
    return side == 0 ? x : rules_.points - 1 - x;
  }
  void BeginPhase(State& state) const {
    const std::vector<int> inside = std::move(state.inside);
    state = State{};
    for (int s = 0; s < rules_.sides; ++s) {
      Side side;
      for (const int x : inside) {
        side.set.push_back(At(static_cast<std::size_t>(s), x));
      }
      Keep(side.set);
      state.sides.push_back(side);
    }
  }
  // The smallest, in order: what a BoundarySet keeps.
  void Keep(std::vector<int>& set) const {
    std::sort(set.begin(), set.end());
    if (set.size() > static_cast<std::size_t>(rules_.size)) {
      set.resize(static_cast<std::size_t>(rules_.size));
    }
  }
  double Survival(const std::vector<int>& counts) const {
    return StopperSurvival(rules_.stopper_theta, rules_.limit, counts);
  }
  void Check(std::size_t s, Steps& steps) const {
    Steps after;
    for (auto& step : steps) {
      Side& side = step.state.sides[s];
      const double before = Survival(side.checked);
      side.checked.push_back(side.count);
      const double survives =
          before > 0 ? std::clamp(Survival(side.checked) / before, 0.0, 1.0)
                     : 0;
      auto halted = step;
      Side fresh;
      fresh.recycled = true;
      fresh.set = halted.state.sides[s].undecided;
      Keep(fresh.set);
      halted.state.sides[s] = fresh;
      halted.observation.restarted |= 1U << s;
      step.probability *= survives;
      halted.probability *= 1 - survives;
      after.push_back(step);
      after.push_back(halted);
    }
    steps = std::move(after);
  }
  int CountAbove(const Side& side, int v) const {
    const auto at_most = std::count_if(side.set.begin(), side.set.end(),
                                       [v](int value) { return value <= v; });
    return std::max(0, rules_.size - static_cast<int>(at_most));
  }
  Steps Ask(int x, const Steps& steps) const {
    Steps after;
    for (const auto& step : steps) AskFrom(0, x, step, after);
    return after;
  }
  void AskFrom(std::size_t s, int x, Outcome<Number, Observation, State> step,
               Steps& after) const {
    if (s == step.state.sides.size()) {
      step.state.inside.push_back(x);
      after.push_back(step);
      return;
    }
    const Side& side = step.state.sides[s];
    const DiscreteLaplaceDistribution<double> noise(
        side.recycled ? rules_.recycled_theta : rules_.initial_theta);
    const int count = CountAbove(side, At(s, x));
    const double low = noise.AtMost(rules_.low - count);
    const double high = noise.AtLeast(rules_.high - count);
    step.observation.decided = static_cast<int>(s);
    auto outside = step;
    outside.observation.zone = 2;
    outside.probability *= high;
    after.push_back(outside);
    auto medium = step;
    medium.observation.zone = 1;
    if (rules_.release_count) medium.observation.count = count;
    medium.probability *= std::max(0.0, 1 - low - high);
    Collect(s, x, medium.state);
    after.push_back(medium);
    step.probability *= low;
    AskFrom(s + 1, x, step, after);
  }
  void Collect(std::size_t s, int x, State& state) const {
    for (std::size_t other = 0; other < state.sides.size(); ++other) {
      if (other != s && !rules_.medium_to_all_sides) continue;
      Side& side = state.sides[other];
      side.undecided.push_back(At(other, x));
      Keep(side.undecided);
    }
    if (rules_.medium_to_next_phase) state.inside.push_back(x);
    ++state.sides[s].count;
  }

  BoundaryRules rules_;
};

}  // namespace sotto::testing
