#include "sotto/mechanisms/mirrors/staircase_mirror_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace sotto {
namespace {

// Up to here every stair is moved on its own after the curve was found.
constexpr std::size_t kMaxFreeStairs = 6;
// Where the search stops to make smaller moves.
constexpr double kFine = 1.01;
constexpr double kCoarse = 1.04;
// A stair above this is as good as none.
constexpr double kMaxTop = 0.98;
constexpr double kNoCost = std::numeric_limits<double>::infinity();

// A staircase in free coordinates. `tops` rise; the growth of stair j + 1 is
// the largest that step 4 of the proof allows.
struct Design {
  std::vector<double> tops;
  double first_growth = 2;     // x_1
  double silence_share = 0.5;  // of the forward delta
};

struct Target {
  long double bound;  // e^epsilon, a little less
  long double back;   // the same for zero over one
  long double delta;  // a little less
};

struct Humps {
  MirrorHump silence;
  std::vector<MirrorHump> lengths;
};

bool NeedsFall(long double top, const Target& target) {
  return (1 - top) * target.back < 1;
}

// Distribution of one stair's length: starts at `start`, grows by `growth`.
MirrorHump LengthHump(long double top, long double growth, long double start,
                      long double end, const Target& target) {
  MirrorHump hump{.start = std::min(start, 0.25L),
                  .growth = growth,
                  .addend = 0,
                  .cap = growth,
                  .end = end};
  if (NeedsFall(top, target)) {
    hump.decay = (1 / target.back - 1 + top) / top;
    hump.end = end / (1 - (1 - top) * target.back);
  }
  return hump;
}

std::optional<Humps> Build(const Design& design, const Target& target) {
  const std::vector<double>& tops = design.tops;
  const long double share = design.silence_share * target.delta;
  const long double stairs_share = target.delta - share;
  const auto falls = std::count_if(tops.begin(), tops.end(), [&](double top) {
    return NeedsFall(top, target);
  });
  const long double end = target.delta / static_cast<long double>(1 + falls);
  if (2 - tops.back() > target.bound || design.first_growth <= 1) return {};
  Humps humps;
  for (std::size_t j = 0; j < tops.size(); ++j) {
    const long double before = tops[j == 0 ? 0 : j - 1];
    const long double growth =
        j == 0 ? static_cast<long double>(design.first_growth)
               : (target.bound - 1 + before) / tops[j] * (1 - 1e-13L);
    if (j > 0 && (tops[j] <= tops[j - 1] || growth <= 1)) return {};
    humps.lengths.push_back(
        LengthHump(tops[j], growth, stairs_share / before, end, target));
  }
  const long double top = tops[0];
  const long double slack =
      target.bound - (1 - top + top * design.first_growth) - 1e-13L;
  if (slack <= 0) return {};
  humps.silence = {.start = share,
                   .growth = slack,
                   .memory = 1 - top,
                   .addend = share,
                   .cap = target.bound,
                   .decay = 1 / target.back,
                   .end = end};
  return humps;
}

double Cost(const Design& design, const Target& target) {
  const auto humps = Build(design, target);
  if (!humps) return kNoCost;
  double cost = HumpMean(humps->silence);
  for (std::size_t j = 0; j < design.tops.size(); ++j) {
    cost += HumpMean(humps->lengths[j]) * (1 / design.tops[j] - 1);
  }
  return cost;
}

double ScaleOdds(double p, double factor) {
  const double odds = p / (1 - p) * factor;
  return std::min(odds / (1 + odds), kMaxTop);
}

// Stairs on a curve: five numbers for any number of stairs.
struct Curve {
  double first;
  double last;
  double bend;
  double first_growth;
  double silence_share;
};

Design OnCurve(const Curve& curve, std::size_t stairs) {
  Design design{{}, curve.first_growth, curve.silence_share};
  for (std::size_t j = 1; j < stairs; ++j) {
    const double part =
        static_cast<double>(j - 1) / static_cast<double>(stairs - 1);
    design.tops.push_back(curve.first + (curve.last - curve.first) *
                                            std::pow(part, curve.bend));
  }
  design.tops.push_back(curve.last);
  return design;
}

// Takes every move that lowers the cost, and makes the moves smaller when none
// does. `moves(candidate, factor)` lists the neighbours of a candidate.
template <typename Candidate, typename Moves, typename ComputeCost>
double Descend(Candidate& best, double least_factor, const Moves& moves,
               const ComputeCost& cost_of) {
  double cost = cost_of(best);
  for (double factor = 1.5; factor > least_factor;) {
    bool better = false;
    for (const double f : {factor, 1 / factor}) {
      for (Candidate& next : moves(best, f)) {
        const double next_cost = cost_of(next);
        if (!(next_cost < cost * (1 - 1e-4))) continue;
        best = std::move(next);
        cost = next_cost;
        better = true;
        break;
      }
    }
    if (!better) factor = std::sqrt(factor);
  }
  return cost;
}

// The last stair may not be lower than 2 - e^epsilon.
double LeastLast(const Target& target) {
  return std::max(static_cast<double>(2 - target.bound), 0.0) + 1e-12;
}

std::vector<Curve> CurveMoves(const Curve& curve, double f,
                              const Target& target) {
  std::vector<Curve> moves(5, curve);
  moves[0].first = ScaleOdds(curve.first, f);
  moves[1].last = std::max(ScaleOdds(curve.last, f), LeastLast(target));
  moves[2].bend = curve.bend * f;
  moves[3].first_growth = 1 + (curve.first_growth - 1) * f;
  moves[4].silence_share = ScaleOdds(curve.silence_share, f);
  return moves;
}

std::vector<Design> StairMoves(const Design& design, double f,
                               const Target& target) {
  std::vector<Design> moves(design.tops.size() + 2, design);
  for (std::size_t j = 0; j < design.tops.size(); ++j) {
    moves[j].tops[j] = ScaleOdds(design.tops[j], f);
    moves[j].tops.back() = std::max(moves[j].tops.back(), LeastLast(target));
  }
  moves.end()[-2].first_growth = 1 + (design.first_growth - 1) * f;
  moves.end()[-1].silence_share = ScaleOdds(design.silence_share, f);
  return moves;
}

struct Found {
  Design design;
  double cost = kNoCost;
};

std::pair<double, double> FirstEnds(std::size_t stairs, double margin) {
  const double last = std::max(1 - margin, 0.3) + 1e-9;
  return {stairs == 1 ? last : std::min(0.35 * margin, last / 2), last};
}

// The best curve with this many stairs.
Found FindCurve(std::size_t stairs, const Target& target) {
  const auto margin = static_cast<double>(target.bound - 1);
  const auto [first, last] = FirstEnds(stairs, margin);
  Curve curve{first, last, 1, 1 + std::min(1.5, 0.5 * margin / first), 0.5};
  const double cost = Descend(
      curve, stairs > kMaxFreeStairs ? kCoarse : kFine,
      [&](const Curve& c, double f) { return CurveMoves(c, f, target); },
      [&](const Curve& c) { return Cost(OnCurve(c, stairs), target); });
  return {OnCurve(curve, stairs), cost};
}

// Costs fall and then rise with the number of stairs. The first guess gives
// half of e^epsilon - 1 to the growth of the stairs, half to their distance.
Found FindBestCurve(const Target& target) {
  const auto margin = static_cast<double>(target.bound - 1);
  const auto [first, last] = FirstEnds(2, margin);
  const auto stairs =
      1 + static_cast<std::size_t>((last - first) / (0.5 * margin));
  Found best = FindCurve(stairs, target);
  for (const bool up : {true, false}) {
    for (std::size_t n = stairs;;) {
      const std::size_t step = std::max<std::size_t>(1, n / 6);
      if (!up && n <= step) break;
      n = up ? n + step : n - step;
      Found next = FindCurve(n, target);
      if (!(next.cost < best.cost)) break;
      best = std::move(next);
    }
  }
  return best;
}

Result<Staircase> Materialize(const Design& design, const Target& target,
                              std::uint64_t delay) {
  const auto humps = Build(design, target);
  if (!humps) return NotConverged("no staircase found");
  SOTTO_TRY_ASSIGN(auto silence, MirrorDistribution::Create(
                                     delay, HumpWeights(humps->silence)));
  Staircase staircase{std::move(silence), {}};
  for (std::size_t j = 0; j < design.tops.size(); ++j) {
    SOTTO_TRY_ASSIGN(auto length, MirrorDistribution::Create(
                                      1, HumpWeights(humps->lengths[j])));
    staircase.stairs.push_back(
        {static_cast<std::uint64_t>(design.tops[j] * 0x1p64L),
         std::move(length)});
  }
  return staircase;
}

}  // namespace

Result<Staircase> FindStaircase(double epsilon, double back, double delta,
                                std::uint64_t delay) {
  const Target target{ExpDown(epsilon) * (1 - 1e-12L),
                      ExpDown(back) * (1 - 1e-12L), MirrorDesignDelta(delta)};
  Found best = FindBestCurve(target);
  if (best.cost == kNoCost) {
    return NotConverged("no staircase found");
  }
  if (best.design.tops.size() <= kMaxFreeStairs) {
    Descend(
        best.design, kFine,
        [&](const Design& d, double f) { return StairMoves(d, f, target); },
        [&](const Design& d) { return Cost(d, target); });
  }
  return Materialize(best.design, target, delay);
}

}  // namespace sotto
