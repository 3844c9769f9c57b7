#include "sotto/accounting/stopped_process_exact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "sotto/accounting/monotone_search.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/stopped_game.h"
#include "sotto/base/memo.h"

namespace sotto {
namespace {

constexpr double kMaxEpsilon = 1000;
constexpr double kMaxRate = 64;
constexpr double kTolerance = 1e-4;         // certified against lower value
constexpr double kEpsilonTolerance = 1e-4;  // in units of the rate
// Windows omit mass that a Chernoff bound puts this many nats below the answer.
// Doubled until the result is tight.
constexpr double kFirstMargin = 21;
constexpr int kWindows = 5;
// ln of StoppedGame::kFloor, rounded: answers below are not resolved.
constexpr double kLogFloor = -460;

// Tail of the loss of a process: ln Pr[loss >= x * rate] <= At(x).
class LossTail {
 public:
  explicit LossTail(const StoppedProcess& process)
      : targets_(static_cast<double>(process.targets)) {
    const double span = StoppedProcessMaxOrder(process) - 1;
    for (std::size_t i = 0; i < kOrders; ++i) {
      const double left = 1 - static_cast<double>(i) / kOrders;
      const double gap = span * (1 - left * left);
      slope_[i] = gap * process.rate;
      moment_[i] = gap > 0 ? targets_ * LogTargetFactor(process, 1 + gap) : 0;
    }
  }
  double At(double x) const {
    double best = 0;
    for (std::size_t i = 0; i < kOrders; ++i) {
      const double value = moment_[i] - slope_[i] * x;
      if (value < best) best = value;
    }
    return best;
  }

 private:
  static constexpr std::size_t kOrders = 256;
  double targets_;
  std::array<double, kOrders> slope_{}, moment_{};
};

struct Window {
  std::int64_t lowest;
  std::int64_t highest;
};

// Any window gives a valid bound; this one is expected to be tight. Fails where
// the work would exceed the budget.
Result<Window> ChooseWindow(const StoppedProcess& process, double epsilon,
                            double margin) {
  const LossTail tail(process);
  const double kink = epsilon / process.rate;
  const double start = std::max(kink, 0.0);
  const double enough = std::max(tail.At(start), kLogFloor) - margin;
  const auto targets = static_cast<double>(process.targets);
  double extra = 4;
  double width = 0;
  do {
    extra *= 1.05;
    width = std::abs(kink) + 1.5 * extra + 8;
    if (width * targets > kMaxExactWork || width > 0x1p25) {
      return InvalidArgument(
          "for this rate and number of targets the losses spread over more "
          "than " +
          std::to_string(static_cast<std::int64_t>(kMaxExactWork)) +
          " points of the exact recursion; use more noise or the Renyi bound");
    }
  } while (tail.At(start + extra) > enough);
  return Window{
      static_cast<std::int64_t>(std::floor(std::min(kink, 0.0) - extra / 2)) -
          4,
      static_cast<std::int64_t>(std::ceil(start + extra)) + 4};
}

struct Solution {
  StoppedGame game;
  Window window;
  std::vector<double> by_targets;  // certified value at loss 0
};

Result<Solution> SolveInWindow(const StoppedProcess& process, double epsilon,
                               const Window& window) {
  SOTTO_TRY_ASSIGN(auto game, StoppedGame::Create({.process = process,
                                                   .epsilon = epsilon,
                                                   .lowest = window.lowest,
                                                   .highest = window.highest}));
  std::vector<double> by_targets{game.UpperAt(0)};
  for (std::int64_t j = 0; j < process.targets; ++j) {
    SOTTO_TRY(game.AddTarget());
    by_targets.push_back(game.UpperAt(0));
  }
  return Solution{std::move(game), window, std::move(by_targets)};
}

bool IsTight(const StoppedGame& game) {
  const double upper = game.UpperAt(0);
  return upper <= 1e10 * StoppedGame::kFloor ||
         upper <= game.LowerAt(0) * (1 + kTolerance);
}

Result<Solution> Solve(const StoppedProcess& process, double epsilon) {
  SOTTO_TRY(Validate(process));
  if (!(std::abs(epsilon) <= kMaxEpsilon)) {
    return InvalidArgument("epsilon must be in [-1000, 1000]");
  }
  double margin = kFirstMargin;
  for (int i = 0; i < kWindows; ++i, margin *= 2) {
    SOTTO_TRY_ASSIGN(const auto window, ChooseWindow(process, epsilon, margin));
    auto solution = SolveInWindow(process, epsilon, window);
    if (!solution || IsTight(solution->game)) return solution;
  }
  return NotConverged(
      "the certified worst case did not come within 1e-4 of a "
      "strategy's value");
}

// The point where the chord through (low, high_delta) and (high, low_delta),
// straight in exp(epsilon), meets `delta`. delta(epsilon) is convex in
// exp(epsilon), so its value there is at most `delta` (step 9).
double ChordEpsilon(double low, double high_delta, double high,
                    double low_delta, double delta) {
  const double share = (delta - low_delta) / (high_delta - low_delta);
  const double drop = std::expm1(low - high);  // in (-1, 0)
  const double epsilon = high + std::log1p(share * drop);
  return std::min(high, InflateUp(epsilon, 1e-12) + 1e-14);
}

// Narrows [low, high] around the answer with one solution, anchored at `high`:
// its lattice holds the curve at high - l * rate.
struct EpsilonBracket {
  double low = 0;  // delta(low) > target, or low <= 0
  double low_delta = 1;
  double high = 0;
  double high_delta = 0;
};

Result<EpsilonBracket> BracketAt(const StoppedProcess& process, double anchor,
                                 double delta) {
  SOTTO_TRY_ASSIGN(const auto solution, Solve(process, anchor));
  const StoppedGame& game = solution.game;
  EpsilonBracket bracket;
  std::int64_t position = 0;
  while (position + 1 < solution.window.highest &&
         game.UpperAt(position + 1) <= delta) {
    ++position;
  }
  while (position > solution.window.lowest && game.UpperAt(position) > delta) {
    --position;
  }
  bracket.high = anchor - static_cast<double>(position) * process.rate;
  bracket.high_delta = game.UpperAt(position);
  bracket.low = bracket.high - process.rate;
  bracket.low_delta = game.UpperAt(position + 1);
  // The subtractions above are rounded; a hair to the right is safe for both.
  const double hair = 0x1p-50 * (std::abs(anchor) + std::abs(bracket.low));
  bracket.high += hair;
  bracket.low += hair;
  return bracket;
}

// Calibrations ask the same again when options change that they do not use.
using Question = std::pair<StoppedProcess, double>;

}  // namespace

Result<ExactDelta> ExactStoppedDelta(const StoppedProcess& process,
                                     double epsilon) {
  static Memo<Question, Result<ExactDelta>, 1024> memo;
  return memo.Get({process, epsilon}, [&]() -> Result<ExactDelta> {
    SOTTO_TRY_ASSIGN(const auto solution, Solve(process, epsilon));
    return ExactDelta{.delta = solution.game.UpperAt(0),
                      .lower = solution.game.LowerAt(0)};
  });
}

Result<std::vector<double>> ExactStoppedDeltas(const StoppedProcess& process,
                                               double epsilon) {
  static Memo<Question, Result<std::vector<double>>> memo;
  return memo.Get({process, epsilon}, [&]() -> Result<std::vector<double>> {
    SOTTO_TRY_ASSIGN(auto solution, Solve(process, epsilon));
    return std::move(solution.by_targets);
  });
}

Result<double> ExactStoppedEpsilon(const StoppedProcess& process,
                                   double delta) {
  SOTTO_TRY_ASSIGN(const auto curve, StoppedProcessCurve(process));
  SOTTO_TRY_ASSIGN(auto anchor, EpsilonFromRenyi(curve, delta));
  SOTTO_TRY_ASSIGN(auto bracket, BracketAt(process, anchor, delta));
  if (bracket.high_delta > delta) {
    return NotConverged("no epsilon on the lattice reaches this delta");
  }
  bool chord_failed = false;
  for (int i = 0; i < 60 && bracket.high > 0; ++i) {
    // The chord is right up to rounding. Only an evaluated point counts.
    const double guess =
        chord_failed ? bracket.low + (bracket.high - bracket.low) / 2
                     : ChordEpsilon(bracket.low, bracket.low_delta,
                                    bracket.high, bracket.high_delta, delta);
    if (bracket.high - guess <= kEpsilonTolerance * process.rate) break;
    SOTTO_TRY_ASSIGN(const auto exact, ExactStoppedDelta(process, guess));
    chord_failed = exact.delta > delta;
    (chord_failed ? bracket.low : bracket.high) = guess;
    (chord_failed ? bracket.low_delta : bracket.high_delta) = exact.delta;
  }
  return std::max(0.0, bracket.high);
}

Result<StoppedProcess> ExactLeastNoise(const StoppedProcessTarget& target) {
  const auto renyi = LeastNoise(target);  // the exact value is no larger
  if (!renyi) return renyi.error();
  const double low = std::log(renyi->rate);
  const auto rate = LargestMeeting(
      {.low = low,
       .high = std::log(kMaxRate),
       .goal = 0,
       .slope = 2 - 2 * std::log(target.delta)},
      [&target](double log_rate) -> Result<double> {
        SOTTO_TRY_ASSIGN(
            const auto exact,
            ExactStoppedDelta(ProcessAtRate(target, std::exp(log_rate)),
                              target.epsilon));
        return LogRatio(exact.delta, target.delta);
      });
  if (!rate) return rate.error();
  return *rate == low ? *renyi : ProcessAtRate(target, std::exp(*rate));
}

}  // namespace sotto
