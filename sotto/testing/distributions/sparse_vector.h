#pragma once

#include <compare>
#include <limits>
#include <optional>
#include <vector>

#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/game_distribution.h"

namespace sotto {

// The sparse vector technique in all its variants, the broken ones included:
// every move asks whether an integer query, at v in world P and v' in world Q,
// |v - v'| <= sensitivity, is at least a threshold at 0.
//
//   SparseVectorDistribution<ExactNumber> test{
//       .query_theta = ExactNumber(1) / 2};
//   ExactGame game(test, 12);   // AboveThreshold, one report
//
// One noise draw that is kept (the threshold's, or a reused query noise) is
// hidden state, clamped to [-support, support]. If it is the only noise, the
// clamped distribution is exact as soon as support > radius + sensitivity:
// beyond, every test is decided. Next to fresh query noise the clamping moves
// the distribution by SupportError() in total variation.
template <typename N>
struct SparseVectorDistribution {
  using Number = N;
  struct State {
    int threshold = 0;
    int noise = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const State&) const = default;
  };
  using Context = int;      // Reports left.
  using Observation = int;  // kBelow, kAbove or the released value.
  struct Move {
    int p;  // The query in world P.
    int q;
  };
  static constexpr int kBelow = std::numeric_limits<int>::min();
  static constexpr int kAbove = std::numeric_limits<int>::max();

  std::optional<Number> query_theta = std::nullopt;      // None: no noise.
  std::optional<Number> threshold_theta = std::nullopt;  // None: no noise.
  int reports = 1;                 // Halts after this many aboves.
  int sensitivity = 1;             // Sensitivity of every query.
  int radius = 1;                  // The queries are in [-radius, radius].
  int support = 0;                 // Range of the noise that is kept.
  bool redraw_threshold = false;   // After every report.
  bool reuse_query_noise = false;  // One draw for all queries.
  bool release_value = false;      // An above shows the value it compared.

  Context Start() const { return reports; }

  std::vector<Weighted<Number, State>> Initial(World) const {
    std::vector<Weighted<Number, State>> states;
    const bool reused = reuse_query_noise && query_theta.has_value();
    for (const auto& threshold : Draw(threshold_theta)) {
      for (const auto& noise : Draw(reused ? query_theta : std::nullopt)) {
        states.push_back(
            {threshold.weight * noise.weight, {threshold.state, noise.state}});
      }
    }
    return states;
  }

  std::vector<Move> Moves(const Context& left) const {
    std::vector<Move> moves;
    if (left == 0) return moves;
    for (int p = -radius; p <= radius; ++p) {
      for (int q = -radius; q <= radius; ++q) {
        const int gap = p > q ? p - q : q - p;
        if (gap >= 1 && gap <= sensitivity) moves.push_back({p, q});
      }
    }
    return moves;
  }

  std::vector<Outcome<Number, Observation, State>> Step(
      World world, const Context& left, const State& state,
      const Move& move) const {
    const int query = world == World::kP ? move.p : move.q;
    std::vector<Outcome<Number, Observation, State>> outcomes;
    for (const auto& [weight, seen] : Answers(query, state)) {
      if (seen == kBelow || !redraw_threshold || left == 1) {
        outcomes.push_back({weight, seen, state});
        continue;
      }
      for (const auto& fresh : Draw(threshold_theta)) {
        outcomes.push_back(
            {weight * fresh.weight, seen, {fresh.state, state.noise}});
      }
    }
    return outcomes;
  }

  Context Next(const Context& left, const Move&,
               const Observation& seen) const {
    return seen == kBelow ? left : left - 1;
  }

  // Pr[|kept noise| > support] for the threshold noise.
  Number SupportError() const {
    if (!threshold_theta) return Number(0);
    return 2 * DiscreteLaplaceDistribution<Number>(*threshold_theta)
                   .AtLeast(support + 1);
  }

 private:
  std::vector<Weighted<Number, int>> Draw(
      const std::optional<Number>& theta) const {
    if (!theta) return {{Number(1), 0}};
    const DiscreteLaplaceDistribution<Number> noise(*theta);
    std::vector<Weighted<Number, int>> draws;
    for (int z = -support; z <= support; ++z) {
      draws.push_back({noise.ClampedMass(0, z, -support, support), z});
    }
    return draws;
  }

  std::vector<Weighted<Number, Observation>> Answers(int query,
                                                     const State& state) const {
    if (!query_theta || reuse_query_noise) {
      const int value = query + state.noise;
      const int shown = release_value ? value : kAbove;
      return {{Number(1), value >= state.threshold ? shown : kBelow}};
    }
    const DiscreteLaplaceDistribution<Number> noise(*query_theta);
    const int need = state.threshold - query;
    std::vector<Weighted<Number, Observation>> answers = {
        {noise.AtMost(need - 1), kBelow}};
    if (!release_value) {
      answers.push_back({noise.AtLeast(need), kAbove});
      return answers;
    }
    // Beyond `top` every threshold is passed and the ratio is constant.
    const int top = support + radius;
    for (int n = state.threshold; n < top; ++n) {
      answers.push_back({noise.Mass(n - query), n});
    }
    answers.push_back({noise.AtLeast(top - query), top});
    return answers;
  }
};

}  // namespace sotto
