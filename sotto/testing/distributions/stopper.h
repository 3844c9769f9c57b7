#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <variant>
#include <vector>

#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/game_distribution.h"

namespace sotto {

// Pr[rho and all nu are such that no check halts], for checks at the counts
// `counts`: rho is drawn once with Pr[rho >= x] = theta^x, nu at every check
// with the same distribution, and a check at count C halts iff C + nu >= limit
// + rho. No truncation: given u = theta^rho the checks survive with probability
// prod (1 - theta^(limit - C) u), a polynomial in u, and its terms are summed
// over rho as geometric series. rho <= max C - limit never survives.
template <typename Number>
Number StopperSurvival(const Number& theta, int limit,
                       const std::vector<int>& counts) {
  if (counts.empty()) return Number(1);
  const int top = *std::max_element(counts.begin(), counts.end());
  const int first = std::max(0, top - limit + 1);
  std::vector<Number> polynomial = {Number(1)};
  for (int count : counts) {
    const Number factor = Power(theta, limit + first - count);
    polynomial.push_back(Number(0));
    for (std::size_t j = polynomial.size() - 1; j > 0; --j) {
      polynomial[j] -= factor * polynomial[j - 1];
    }
  }
  Number sum = 0;
  Number power = 1;
  for (const Number& coefficient : polynomial) {
    power *= theta;
    sum += coefficient / (1 - power);
  }
  return sum * (1 - theta) * Power(theta, first);
}

// In doubles the polynomial would cancel: the series has positive terms only.
template <>
inline double StopperSurvival(const double& theta, int limit,
                              const std::vector<int>& counts) {
  if (counts.empty()) return 1;
  const int top = *std::max_element(counts.begin(), counts.end());
  const int first = std::max(0, top - limit + 1);
  std::vector<double> halts;  // By check: Pr[nu >= limit + rho - count].
  halts.reserve(counts.size());
  for (int count : counts) {
    halts.push_back(Power(theta, limit + first - count));
  }
  double sum = 0;
  double mass = 1;
  while (mass > 1e-18) {
    double term = mass;
    for (double& halt : halts) {
      term *= 1 - halt;
      halt *= theta;
    }
    sum += term;
    mass *= theta;
  }
  return sum * (1 - theta) * Power(theta, first);
}

// The same without fresh nu: halts iff C >= limit + rho.
template <typename Number>
Number BareStopperSurvival(const Number& theta, int limit,
                           const std::vector<int>& counts) {
  if (counts.empty()) return Number(1);
  const int top = *std::max_element(counts.begin(), counts.end());
  return Power(theta, std::max(0, top - limit + 1));
}

// The Stopper over a public clock: every move is a round that adds 0 or 1 to
// the count and is followed by a check. One round is hidden: the adversary
// knows its time but not its contribution, which the move sets for each world.
// Halting is seen, also in the hidden round.
//
//   StopperDistribution<ExactNumber> stopper{.theta = ExactNumber(1) / 2};
//   ExactGame game(stopper, 8);
//   game.MaxRatio(Direction::kPOverQ);   // 2
//
// rho is integrated out, so the hidden state is trivial and all probabilities
// are closed forms in theta.
template <typename N>
struct StopperDistribution {
  using Number = N;
  using State = std::monostate;
  using Observation = bool;  // Halted.
  static constexpr int kAbsent = -1;
  struct Move {
    bool hidden;
    int p;  // Contribution in world P: 0, 1, kAbsent.
    int q;
  };
  struct Context {
    bool halted = false;
    bool challenged = false;
    std::array<int, 2> count = {0, 0};        // By world.
    std::array<std::vector<int>, 2> checked;  // Counts at the checks passed.
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const Context&) const = default;
  };
  // The correct clock and two broken ones.
  enum class Clock { kEveryRound, kAfterCountedRounds, kPresentRounds };

  Number theta;
  int limit = 1;
  bool fresh_noise = true;
  Clock clock = Clock::kEveryRound;
  int allowance = 0;  // Increase of the limit at every check.
  // Rounds that add nothing raise it too. That is not public, so not private.
  bool paid_back = false;

  Context Start() const { return {}; }
  std::vector<Weighted<Number, State>> Initial(World) const {
    return {{Number(1), {}}};
  }
  std::vector<Move> Moves(const Context& context) const {
    if (context.halted) return {};
    std::vector<Move> moves = {{false, 0, 0}, {false, 1, 1}};
    if (context.challenged) return moves;
    for (int p : {kAbsent, 0, 1}) {
      for (int q : {kAbsent, 0, 1}) {
        if (p != q) moves.push_back({true, p, q});
      }
    }
    return moves;
  }
  std::vector<Outcome<Number, Observation, State>> Step(
      World world, const Context& context, const State&,
      const Move& move) const {
    const auto w = static_cast<std::size_t>(world);
    std::vector<int> counts = context.checked[w];
    const Number before = Survival(counts);
    Play(world == World::kP ? move.p : move.q, context.count[w], counts);
    const Number survives = Survival(counts) / before;
    return {{survives, false, {}}, {1 - survives, true, {}}};
  }
  Context Next(const Context& context, const Move& move,
               const Observation& halted) const {
    Context next = context;
    next.halted = halted;
    next.challenged = context.challenged || move.hidden;
    next.count[0] = Play(move.p, context.count[0], next.checked[0]);
    next.count[1] = Play(move.q, context.count[1], next.checked[1]);
    return next;
  }

 private:
  Number Survival(const std::vector<int>& counts) const {
    return fresh_noise ? StopperSurvival(theta, limit, counts)
                       : BareStopperSurvival(theta, limit, counts);
  }
  int Play(int added, int count, std::vector<int>& counts) const {
    const int less = allowance + (paid_back && added == 0 ? 1 : 0);
    const int after = count + std::max(added, 0) - less;
    const bool checks =
        clock == Clock::kEveryRound ||
        (clock == Clock::kAfterCountedRounds ? added == 1 : added != kAbsent);
    if (checks) counts.push_back(after);
    return after;
  }
};

}  // namespace sotto
