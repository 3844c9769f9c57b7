#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <utility>
#include <vector>

#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/game_distribution.h"

namespace sotto::testing {

// RectanglesPERP on a tiny line, as a game: two sides, slices of a secret size,
// phases of a few rounds, exact distributions in place of samplers. The
// adversary sees more than any user: on which side a query was decided and how,
// and which copies halted. A hidden round shows only the latter.
struct SlicedRules {
  int points = 2;              // 0, 1, ..., points - 1
  double theta = 0.5;          // e^-e0 of the tests
  double stopper_theta = 0.7;  // e^-es
  double size_theta = 0.5;     // e^-e_g; the secret part is cut at `most_more`
  int most_more = 2;
  int low = 0;
  int high = 2;
  int size = 1;   // m
  int limit = 1;  // k
  std::vector<int> lengths = {9};
  // Positives of the training set, by world.
  std::vector<int> training_p = {};
  std::vector<int> training_q = {};
  bool query_differs = true;
  bool replace = false;
  // Broken variants.
  bool medium_to_next_phase = false;
  bool skip_stopping_if_absent = false;
  bool exact_stopper = false;
};

class SlicedDistribution {
 public:
  using Number = double;
  struct Side {
    std::vector<int> data;
    std::vector<int> undecided;
    int mediums = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const Side&) const = default;
  };
  struct State {
    std::vector<Side> sides;
    std::vector<int> positives;  // D
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
  struct Observation {
    unsigned halted = 0;
    int decided = -1;  // the last side asked; -1: none
    int zone = 0;
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

  explicit SlicedDistribution(SlicedRules rules) : rules_(std::move(rules)) {}

  Context Start() const { return {}; }
  std::vector<Weighted<Number, State>> Initial(World world) const {
    return Cut(world == World::kP ? rules_.training_p : rules_.training_q);
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
    Steps steps = {{1.0, {}, state}};
    if (context.ticks == 0 && context.phase > 0) {
      steps.clear();
      for (const auto& [weight, begun] : Cut(state.positives)) {
        steps.push_back({weight, {}, begun});
      }
    }
    const int x = world == World::kP ? move.p : move.q;
    if (x != kAbsent || !rules_.skip_stopping_if_absent) {
      for (std::size_t s = 0; s < 2; ++s) Ask(s, steps);
    }
    if (x != kAbsent) {
      Steps after;
      for (const auto& step : steps) TestFrom(0, x, step, after);
      steps = std::move(after);
    }
    if (!move.hidden) return steps;
    for (auto& step : steps) {
      step.observation = {.halted = step.observation.halted};
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
  // Left is side 0. Right sees the line mirrored.
  int At(std::size_t side, int x) const {
    return side == 0 ? x : rules_.points - 1 - x;
  }
  double Chance(int more) const {
    const double reached = std::pow(rules_.size_theta, more);
    return more < rules_.most_more ? reached * (1 - rules_.size_theta)
                                   : reached;
  }
  // Right's slice first, then Left's, of what remains.
  std::vector<Weighted<Number, State>> Cut(std::vector<int> points) const {
    std::sort(points.begin(), points.end());
    std::vector<Weighted<Number, State>> begun;
    for (int right = 0; right <= rules_.most_more; ++right) {
      for (int left = 0; left <= rules_.most_more; ++left) {
        State state;
        state.sides.resize(2);
        std::vector<int> rest = points;
        for (int i = 0; i < rules_.size + right && !rest.empty(); ++i) {
          state.sides[1].data.push_back(At(1, rest.back()));
          rest.pop_back();
        }
        for (int i = 0; i < rules_.size + left && !rest.empty(); ++i) {
          state.sides[0].data.push_back(rest.front());
          rest.erase(rest.begin());
        }
        begun.push_back({Chance(right) * Chance(left), state});
      }
    }
    return begun;
  }
  void Ask(std::size_t s, Steps& steps) const {
    const DiscreteLaplaceDistribution<double> noise(rules_.stopper_theta);
    Steps after;
    for (auto& step : steps) {
      Side& side = step.state.sides[s];
      double halts = noise.AtLeast(rules_.limit - side.mediums);
      if (rules_.exact_stopper) halts = side.mediums >= rules_.limit ? 1 : 0;
      auto halted = step;
      std::vector<int> data = side.undecided;
      std::sort(data.begin(), data.end());
      halted.state.sides[s] = Side{std::move(data), {}, 0};
      halted.observation.halted |= 1U << s;
      halted.probability *= halts;
      step.probability *= 1 - halts;
      if (step.probability > 0) after.push_back(step);
      if (halted.probability > 0) after.push_back(halted);
    }
    steps = std::move(after);
  }
  void TestFrom(std::size_t s, int x, Outcome<Number, Observation, State> step,
                Steps& after) const {
    if (s == 2) {
      step.state.positives.push_back(x);
      after.push_back(step);
      return;
    }
    const Side& side = step.state.sides[s];
    const int v = At(s, x);
    const auto count = static_cast<int>(std::count_if(
        side.data.begin(), side.data.end(), [v](int y) { return y > v; }));
    const DiscreteLaplaceDistribution<double> noise(rules_.theta);
    const double low = noise.AtMost(rules_.low - count);
    const double high = noise.AtLeast(rules_.high - count);
    step.observation.decided = static_cast<int>(s);
    auto outside = step;
    outside.observation.zone = 2;
    outside.probability *= high;
    after.push_back(outside);
    auto medium = step;
    medium.observation.zone = 1;
    medium.probability *= std::max(0.0, 1 - low - high);
    Collect(s, x, medium.state);
    after.push_back(medium);
    step.probability *= low;
    TestFrom(s + 1, x, step, after);
  }
  void Collect(std::size_t s, int x, State& state) const {
    state.sides[s].undecided.push_back(At(s, x));
    if (rules_.medium_to_next_phase) state.positives.push_back(x);
    ++state.sides[s].mediums;
  }

  SlicedRules rules_;
};

}  // namespace sotto::testing
