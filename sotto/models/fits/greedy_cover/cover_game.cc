#include "sotto/models/fits/greedy_cover/cover_game.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <vector>

#include "sotto/models/fits/greedy_cover/cover_delta.h"

namespace sotto {
namespace {

// Cells of the grid in the range of the weights: linear interpolation between
// nodes costs about (1 / kCells)^2 / 8 of delta a round.
constexpr int kCells = 24;
// How far the grid goes past epsilon, in ranges of the weights.
constexpr int kMargin = 2;

// An upper bound of a convex function of y = e^x, at the nodes x = i * step.
class Curve {
 public:
  Curve(int first, int last)
      : first_(first), values_(static_cast<std::size_t>(last - first + 1)) {}
  double& At(int i) { return values_[static_cast<std::size_t>(i - first_)]; }
  double At(int i) const {
    return values_[static_cast<std::size_t>(i - first_)];
  }

 private:
  int first_;
  std::vector<double> values_;
};

// Where the ratio of the worlds may go in one round, in cells, and what the
// game is worth from there on.
struct Outcome {
  int shift;
  const Curve* value;
};

// A segment of the line between two outcomes, as a function of where the round
// leads if the row is not touched.
struct Chord {
  double left0, left1;    // the left outcome's value at both ends of the cell
  double right0, right1;  // the right outcome's
  double left_ratio, right_ratio;
  double t0, t1;  // the cell, relative to where the chord is read off
};

// The largest value of the chord (cover_delta.md, step 8), rounded up.
double Highest(const Chord& c, double slack) {
  const double width = c.t1 - c.t0;
  const double left_slope = (c.left1 - c.left0) / width;
  const double right_slope = (c.right1 - c.right0) / width;
  const double left = c.left0 - left_slope * c.t0;
  const double right = c.right0 - right_slope * c.t0;
  const double c0 =
      c.right_ratio * left - c.left_ratio * right - left_slope + right_slope;
  const double c1 = c.right_ratio * left_slope - c.left_ratio * right_slope;
  const double c2 = right - left;
  double best =
      std::max(c0 + c1 * c.t0 + c2 / c.t0, c0 + c1 * c.t1 + c2 / c.t1);
  if (c1 < 0 && c2 < 0) {
    const double t = std::sqrt(c2 / c1);
    if (t > c.t0 && t < c.t1) best = c0 - 2 * std::sqrt(c1 * c2);
  }
  const double size =
      std::max(std::max(c.left0, c.left1), std::max(c.right0, c.right1));
  return best / (c.right_ratio - c.left_ratio) + slack * size;
}

class Grid {
 public:
  Grid(const CoverGame& game, double epsilon)
      : cells_(
            std::max(1, kCells / static_cast<int>(game.penalty + game.reward))),
        step_(game.unit / cells_ * (1 + 1e-12)),
        penalty_(static_cast<int>(game.penalty) * cells_),
        reward_(static_cast<int>(game.reward) * cells_),
        range_(penalty_ + reward_),
        top_(static_cast<int>(std::ceil(epsilon / step_)) + kMargin * range_),
        slack_(0x1p-45 / std::pow(std::min(1.0, step_), 2)),
        weights_{penalty_ * step_, reward_ * step_} {
    for (int i = -range_ - 1; i <= range_ + 1; ++i) {
      ratios_.push_back(std::exp(i * step_));
    }
  }

  double Solve(const CoverGame& game, double epsilon) {
    const double range = weights_.penalty + weights_.reward;
    const Curve end = Make([](double x) { return -std::expm1(x); });
    State with(*this, [&](double x) { return CoverDeltaWithRow(weights_, x); });
    State without(*this,
                  [&](double x) { return CoverDeltaWithoutRow(weights_, x); });
    State replaced(*this, [&](double x) {
      return CoverDeltaWithRow({range, range}, x);
    });
    with.outcomes = {{0, &with.now}, {penalty_, &end}, {-reward_, &end}};
    without.outcomes = {{0, &without.now}, {reward_, &end}, {-penalty_, &end}};
    replaced.outcomes = {{0, &replaced.now},       {range_, &end},
                         {-range_, &end},          {penalty_, &without.now},
                         {-reward_, &without.now}, {reward_, &with.now},
                         {-penalty_, &with.now}};
    const bool replace = game.relation == Relation::kReplace;
    for (std::uint32_t round = 0; round < game.rounds; ++round) {
      if (replace) Look(replaced);
      Look(with);
      Look(without);
      if (replace) replaced.now = replaced.next;
      with.now = with.next;
      without.now = without.next;
    }
    if (replace) return Read(replaced.now, epsilon);
    return std::max(Read(with.now, epsilon), Read(without.now, epsilon));
  }

 private:
  int bottom() const { return -2 * range_; }
  int first() const { return bottom() - 2 * range_ - 1; }
  int last() const { return top_ + 2 * range_ + 1; }
  double Ratio(int shift) const {
    return ratios_[static_cast<std::size_t>(shift + range_ + 1)];
  }

  template <typename Function>
  Curve Make(const Function& f) const {
    Curve curve(first(), last());
    for (int i = first(); i <= last(); ++i) {
      curve.At(i) = std::max(0.0, f(i * step_));
    }
    return curve;
  }

  // Value of the game while certain rows are still there.
  struct State {
    template <typename Function>
    State(const Grid& grid, const Function& value_of_unlimited)
        : unlimited(grid.Make(value_of_unlimited)),
          now(grid.Make([](double x) { return -std::expm1(x); })),
          next(now) {
      grid.FillOutside(unlimited, now);
    }
    Curve unlimited;  // with any number of rounds
    Curve now;        // with the rounds looked at so far
    Curve next;       // with one more
    std::vector<Outcome> outcomes;
  };

  // Outside the window nothing is computed. Below it, any number of rounds is
  // allowed; above, the value is also at most what it is at the top.
  void FillOutside(const Curve& unlimited, Curve& curve) const {
    for (int i = first(); i < bottom(); ++i) curve.At(i) = unlimited.At(i);
    for (int i = top_ + 1; i <= last(); ++i) {
      curve.At(i) = std::min(unlimited.At(i), curve.At(top_));
    }
  }

  double Best(int i, const Outcome& left, const Outcome& right) const {
    double best = 0;
    const double left_ratio = Ratio(left.shift);
    const double right_ratio = Ratio(right.shift);
    for (int j = i - right.shift; j < i - left.shift; ++j) {
      const Chord chord = {left.value->At(j + left.shift),
                           left.value->At(j + 1 + left.shift),
                           right.value->At(j + right.shift),
                           right.value->At(j + 1 + right.shift),
                           left_ratio,
                           right_ratio,
                           Ratio(j - i),
                           Ratio(j + 1 - i)};
      // Otherwise the chord only rises, to what is worth less than staying.
      if (chord.left0 > 0) best = std::max(best, Highest(chord, slack_));
    }
    return best;
  }

  // One more round.
  void Look(State& state) const {
    for (int i = bottom(); i <= top_; ++i) {
      double best = state.now.At(i);
      for (const Outcome& left : state.outcomes) {
        for (const Outcome& right : state.outcomes) {
          if (left.shift < right.shift) {
            best = std::max(best, Best(i, left, right));
          }
        }
      }
      // The closed form is a bound too, for any number of rounds.
      state.next.At(i) = std::min(best, state.unlimited.At(i));
    }
    FillOutside(state.unlimited, state.next);
  }

  // Between nodes the chord lies above, as the value is convex in e^x.
  double Read(const Curve& curve, double x) const {
    const int i = std::min(top_ - 1, static_cast<int>(std::floor(x / step_)));
    const double from = std::exp(i * step_);
    const double to = std::exp((i + 1) * step_);
    const double share =
        std::clamp((std::exp(x) - from) / (to - from), 0.0, 1.0);
    const double value = curve.At(i) + share * (curve.At(i + 1) - curve.At(i));
    // The grid's e^x is off by a relative (1 + x) u; 1e-300 stands for what
    // underflowed.
    return value + slack_ * (1 + x) * curve.At(i) + 1e-300;
  }

  int cells_;
  double step_;
  int penalty_;
  int reward_;
  int range_;
  int top_;
  double slack_;
  CoverWeights weights_;
  std::vector<double> ratios_;
};

Status Check(const CoverGame& game, double epsilon) {
  const std::uint64_t units = std::uint64_t{game.penalty} + game.reward;
  if (units < 1 || units > kMaxCoverUnits) {
    return InvalidArgument("penalty and reward must add up to 1 to 100 units");
  }
  if (game.rounds < 1 || game.rounds > kMaxCoverGameRounds) {
    return InvalidArgument("the cover game has 1 to 400 rounds");
  }
  const double range = static_cast<double>(units) * game.unit;
  if (!(range >= 1e-3 && range <= 20)) {
    return InvalidArgument("the range of the weights must be in [0.001, 20]");
  }
  if (!(epsilon >= 0 && epsilon <= 1000 * range)) {
    return InvalidArgument("epsilon must be in [0, 1000 times the weights]");
  }
  if (game.relation == Relation::kChangeByOne) {
    return InvalidArgument("rows are replaced, added or removed");
  }
  return Ok();
}

}  // namespace

Result<double> CoverGameDelta(const CoverGame& game, double epsilon) {
  SOTTO_TRY(Check(game, epsilon));
  const double delta = Grid(game, epsilon).Solve(game, epsilon);
  if (std::isnan(delta)) {
    return NotConverged("the cover game has no value");
  }
  return std::min(delta, 1.0);
}

}  // namespace sotto
