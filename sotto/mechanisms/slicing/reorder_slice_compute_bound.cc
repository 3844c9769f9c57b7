#include "sotto/mechanisms/slicing/reorder_slice_compute_bound.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sotto/accounting/rounding.h"
#include "sotto/mechanisms/selection/selection_params.h"
#include "sotto/random/fixed_work_geometric.h"

namespace sotto {
namespace {

constexpr double kMinRate = 0x1p-14;
constexpr double kMaxEpsilon = 16;
constexpr std::uint64_t kMaxSlices = std::uint64_t{1} << 32;
// Relative error allowed to sums of up to 2^20 terms in doubles.
constexpr double kRounding = 1e-9;
constexpr int kHalvings = 60;

Status Check(const SliceCosts& costs) {
  const auto epsilon = [](double e) { return e > 0 && e <= kMaxEpsilon; };
  const auto delta = [](double d) { return d >= 0 && d < 1; };
  if (!epsilon(costs.slice_epsilon) || !epsilon(costs.substitution_epsilon) ||
      costs.substitution_epsilon < costs.slice_epsilon) {
    return InvalidArgument(
        "the epsilons of a slice must be in (0, 16], a substitution not below");
  }
  if (!delta(costs.slice_delta) || !delta(costs.substitution_delta)) {
    return InvalidArgument("the deltas of a slice must be in [0, 1)");
  }
  if (!(costs.geometric_rate >= kMinRate && costs.geometric_rate <= 16)) {
    return InvalidArgument("the geometric rate must be in [2^-14, 16]");
  }
  if (costs.slices < 1 || costs.slices > kMaxSlices) {
    return InvalidArgument("the number of slices must be in [1, 2^32]");
  }
  if (!(costs.failure > 0 && costs.failure < 1)) {
    return InvalidArgument("failure must be in (0, 1)");
  }
  return Ok();
}

// A run in one direction: k unsynchronised decisions and the end lose at most
// k * step + last, and there are k or more with probability unsync^k.
struct Direction {
  double step;
  double last;
  double unsync;
};

// delta at epsilon (step 6): E[(1 - e^(epsilon - loss))_+], at most `slices`
// decisions.
double DeltaAt(double epsilon, const Direction& run, std::uint64_t slices) {
  double first = 0;  // the least k that loses more than epsilon
  if (epsilon >= run.last) {
    if (run.step == 0) return 0;
    first = std::floor((epsilon - run.last) / run.step) + 1;
  }
  if (first > static_cast<double>(slices - 1)) return 0;
  // Against us: every later loss counts as in an endless run.
  const double q = run.unsync;
  const double excess = first * run.step + run.last - epsilon;
  const double endless =
      1 - std::exp(-excess) * (1 - q) / (1 - q * std::exp(-run.step));
  return std::pow(q, first) * std::clamp(endless, 0.0, 1.0);
}

double LeastEpsilon(const Direction& run, const SliceCosts& costs) {
  double high = static_cast<double>(costs.slices - 1) * run.step + run.last;
  double low = 0;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    const double delta = DeltaAt(middle, run, costs.slices);
    (InflateUp(delta, kRounding) <= costs.failure ? high : low) = middle;
  }
  return InflateUp(high, kRounding);
}

// The slices' own deltas (step 7), given the worse probability of continuing.
double SlicesDelta(const SliceCosts& costs, double unsync) {
  const auto rounds = static_cast<double>(costs.slices);
  const double expected = std::min(rounds, unsync / (1 - unsync));
  return InflateUp(expected * costs.substitution_delta + costs.slice_delta,
                   kRounding);
}

SliceCharge Evaluate(const SliceCosts& costs, double e1, double e2) {
  const UnsyncProbability unsync = UnsyncFor(costs.geometric_rate, e1, e2);
  const double sub = costs.substitution_epsilon;
  const auto run = [&](double step, double last, double q) {
    return Direction{step, std::max(last, step), q};
  };
  const Direction added = run(e1 + sub, e2 + costs.slice_epsilon, unsync.with);
  const Direction removed =
      run(std::max(sub - e1, 0.0), costs.geometric_rate + costs.slice_epsilon,
          unsync.without);
  const double worse = std::max(unsync.with, unsync.without);
  return {.epsilon = std::max(LeastEpsilon(added, costs),
                              LeastEpsilon(removed, costs)),
          .delta = UpAdd(costs.failure, SlicesDelta(costs, worse)),
          .unsync_loss = e1,
          .sync_loss = e2,
          .unsync = worse};
}

// The same slice sizes in both worlds: one substitution in every slice.
SliceCharge Substitutions(const SliceCosts& costs) {
  const auto rounds = static_cast<double>(costs.slices);
  return {.epsilon = InflateUp(rounds * costs.substitution_epsilon, 1e-15),
          .delta = InflateUp(rounds * costs.substitution_delta, 1e-15)};
}

}  // namespace

UnsyncProbability UnsyncFor(double geometric_rate, double unsync_loss,
                            double sync_loss) {
  const double t = std::exp(-geometric_rate);
  const double grow = std::exp(geometric_rate + sync_loss);
  const double keep = std::exp(-unsync_loss);
  double with = 0;
  double without = 0;
  double mass = 1 - t;
  // 1 - f' of the page: grows by at least the factor e^rate, from 0 to 1.
  for (double together = 0; together < 1; mass *= t) {
    with += mass * (1 - together);
    without += mass * (1 - together) * keep;
    together = grow * (-std::expm1(-unsync_loss) + keep * together);
  }
  return {.without = std::min(1.0, InflateUp(without, kRounding)),
          .with = std::min(1.0, InflateUp(with, kRounding))};
}

// Any e_1 and e_2 are right, so the search need not be.
Result<SliceCharge> SliceBound(const SliceCosts& costs) {
  SOTTO_TRY(Check(costs));
  const double unit = costs.geometric_rate;
  const double top = 8 * std::max(unit, costs.substitution_epsilon);
  SliceCharge best = Evaluate(costs, unit, 0);
  const auto consider = [&](double e1, double e2) {
    if (!(e1 >= unit / 64 && e1 <= 64 && e2 <= 64)) return;
    const SliceCharge charge = Evaluate(costs, e1, e2);
    if (charge.epsilon < best.epsilon) best = charge;
  };
  const int doublings = static_cast<int>(std::ceil(std::log2(top / unit)));
  for (int i = -3; i <= doublings; ++i) {
    for (int j = -1; j <= doublings + 2; ++j) {
      consider(std::ldexp(unit, i), std::ldexp(unit, j));
    }
  }
  double factor = 2;
  for (int round = 0; round < 5; ++round) {
    factor = std::sqrt(factor);
    const std::array<double, 3> steps = {1 / factor, 1, factor};
    const SliceCharge center = best;
    for (const double a : steps) {
      for (const double b : steps) {
        consider(center.unsync_loss * a, center.sync_loss * b);
      }
    }
  }
  const SliceCharge plain = Substitutions(costs);
  const bool plain_is_less =
      plain.epsilon <= best.epsilon && plain.delta <= best.delta;
  return plain_is_less ? plain : best;
}

Result<SlicePlan> PlanSlices(SliceCosts costs, Relation slice_relation) {
  if (slice_relation != Relation::kAddRemove &&
      slice_relation != Relation::kReplace) {
    return InvalidArgument("the relation must be add-remove or replace");
  }
  const bool twice = slice_relation == Relation::kAddRemove;
  costs.substitution_epsilon = costs.slice_epsilon * (twice ? 2 : 1);
  costs.substitution_delta =
      twice ? BothWorldsSlack(costs.slice_epsilon, costs.slice_delta)
            : costs.slice_delta;
  SOTTO_TRY_ASSIGN(const auto rate, RationalBelow(costs.geometric_rate == 0
                                                      ? costs.slice_epsilon
                                                      : costs.geometric_rate));
  // The rate as the sampler has it.
  costs.geometric_rate = rate.ToDoubleDown();
  SOTTO_TRY_ASSIGN(const auto charge, SliceBound(costs));
  const double distance = std::ldexp(static_cast<double>(costs.slices),
                                     -FixedWorkGeometric::TotalVariationLog2());
  SOTTO_TRY_ASSIGN(
      auto guarantee,
      Guarantee::Create(
          {.notion = Notion::kDp,
           .relation = Relation::kAddRemove,
           .epsilon = charge.epsilon,
           .delta =
               UpAdd(charge.delta, BothWorldsSlack(charge.epsilon, distance)),
           .protects = "one element of the data"}));
  return SlicePlan{rate, charge, std::move(guarantee)};
}

bool WithinSliceBudget(const Guarantee& cost, double epsilon, double delta,
                       Relation slice_relation, bool covers_shorter) {
  // The slices' mechanisms may be asked adaptively, and interleaved.
  if (cost.adversary() != Adversary::kAdaptive) return false;
  if (cost.notion() != Notion::kDp) return false;
  const auto fits = [&](double e, double d) {
    return e <= epsilon && d <= delta;
  };
  if (cost.relation() == Relation::kReplace) {
    return covers_shorter && fits(cost.epsilon(), cost.delta());
  }
  if (cost.relation() != Relation::kAddRemove) return false;
  if (slice_relation == Relation::kAddRemove) {
    return fits(cost.epsilon(), cost.delta());
  }
  const double twice =
      cost.delta() == 0 ? 0 : BothWorldsSlack(cost.epsilon(), cost.delta());
  return fits(2 * cost.epsilon(), twice);
}

double SliceEpsilonInClosedForm(double e, double failure) {
  return InflateUp(3 * e * std::ceil(-1.12 * std::log(failure)) + 2 * e, 1e-15);
}

}  // namespace sotto
