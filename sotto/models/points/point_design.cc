#include "sotto/models/points/point_design.h"

#include <algorithm>
#include <limits>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/rounding.h"
#include "sotto/mechanisms/mirrors/staircase_mirror.h"
#include "sotto/models/points/count_gate.h"

namespace sotto {
namespace {

// Limits of the parts of this folder.
constexpr double kLeastMirror = 0.05;
constexpr double kMost = 10;
constexpr double kLeastDelta = 1e-12;
constexpr double kMostDelta = 0.1;
// Steps have fewer mistakes than stairs from the first on, and exist only above
// the second.
constexpr double kStairsUntil = 1.25;
constexpr double kStepsFrom = 0.75;
constexpr double kLeastRise = 0.65;

// Steps between a user's two worlds, each one round replaced or emptied.
std::uint64_t Steps(Relation relation, std::uint64_t rounds) {
  return relation == Relation::kReplace ? 2 * rounds - 1 : rounds;
}

struct Candidate {
  PointDesign design = {};
  double mistakes = std::numeric_limits<double>::infinity();
  bool found() const {
    return mistakes < std::numeric_limits<double>::infinity();
  }
};

ApproximateDp Capped(double epsilon, double delta) {
  return {std::min(epsilon, kMost), std::min(delta, kMostDelta)};
}

double MirrorMistakes(const PointDesign& design) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (design.stairs) {
    const auto mirror = MakeStairs(design.mirror);
    return mirror ? mirror->expected_mistakes() : kNone;
  }
  const auto step = LopsidedStep::Create(design.mirror);
  return step ? step->expected_mistakes() : kNone;
}

void Try(const PointDesign& design, Candidate& best) {
  const auto gate = CountGate::Create(
      {.epsilon = design.gate.epsilon, .delta = design.gate.delta});
  if (!gate) return;
  const auto size = static_cast<double>(gate->size());
  if (size >= best.mistakes) return;
  const double mistakes = size + MirrorMistakes(design);
  if (mistakes < best.mistakes) best = {design, mistakes};
}

// Both directions alike: `share` of what one occurrence may cost is for the
// mirror.
void TrySymmetric(const ApproximateDp& occurrence, double share,
                  Candidate& best) {
  const double mirror = std::min(DownMul(occurrence.epsilon, share), kMost);
  const double delta = occurrence.delta / 2;
  const ApproximateDp both = Capped(mirror, delta);
  PointDesign design{
      .gate = Capped(DownAdd(occurrence.epsilon, -mirror), delta),
      .mirror = {both, both}};
  if (mirror > kLeastRise) Try(design, best);
  design.stairs = true;
  if (mirror >= kLeastMirror && mirror < 1) Try(design, best);
}

// Mistakes have one valley in the share, but for a kink where stairs take over
// from the step: a coarse walk, then a finer one.
Candidate BestSymmetric(const ApproximateDp& occurrence) {
  Candidate best;
  const auto walk = [&](double middle, double step, int steps) {
    for (int i = -steps; i <= steps; ++i) {
      const double share = middle + i * step;
      if (share > 0.05 && share < 0.97) TrySymmetric(occurrence, share, best);
    }
  };
  walk(0.68, 0.09, 3);
  if (!best.found() || occurrence.epsilon > kMost) return best;
  walk(best.design.mirror.one_over_zero.epsilon / occurrence.epsilon, 0.03, 2);
  return best;
}

// A round that is replaced pays for two gates and for each direction once.
PointDesign Lopsided(const ApproximateDp& round, double rise, double fall) {
  const double delta = round.delta / 4;
  // A little less than is left, for what sums of these round up.
  const double gates = round.epsilon * (1 - 1e-15) - rise - fall;
  return {.gate = Capped(gates / 2, delta),
          .mirror = {Capped(rise, delta), Capped(fall, delta)}};
}

Candidate BestSteps(const ApproximateDp& round) {
  Candidate best;
  const double whole = round.epsilon;
  const auto walk = [&](double rise, double fall, double step, int steps) {
    for (int i = -steps; i <= steps; ++i) {
      for (int j = -steps; j <= steps; ++j) {
        const double up = rise + whole * step * i;
        const double down = fall + whole * step * j / 2;
        if (up < kLeastRise || down < 0.005 || up + down > 0.97 * whole) {
          continue;
        }
        Try(Lopsided(round, up, down), best);
      }
    }
  };
  walk(0.55 * whole, 0.07 * whole, 0.06, 6);
  for (const double step : {0.03, 0.015, 0.0075, 0.004}) {
    if (!best.found()) return best;
    walk(best.design.mirror.one_over_zero.epsilon,
         best.design.mirror.zero_over_one.epsilon, step, 1);
  }
  return best;
}

// Stairs take long to search: one coordinate after the other.
Candidate BestStairs(const ApproximateDp& round) {
  Candidate best;
  const double whole = round.epsilon;
  const auto attempt = [&](double rise, double fall) {
    if (rise < kLeastMirror || fall < 0.003 || rise + fall > 0.97 * whole) {
      return;
    }
    PointDesign design = Lopsided(round, rise, fall);
    design.stairs = true;
    Try(design, best);
  };
  for (const double share : {0.46, 0.54, 0.62, 0.7}) {
    attempt(share * whole, 0.06 * whole);
  }
  if (!best.found()) return best;
  const double rise = best.design.mirror.one_over_zero.epsilon;
  for (const double share : {0.04, 0.05, 0.075}) {
    attempt(rise, share * whole);
  }
  const double fall = best.design.mirror.zero_over_one.epsilon;
  for (const double step : {-0.04, -0.02, 0.02, 0.04}) {
    attempt(rise + step * whole, fall);
  }
  return best;
}

}  // namespace

Result<StaircaseMirror> MakeStairs(const LopsidedStep::Budgets& budgets) {
  // To the staircase 0 would mean the same as forwards.
  if (!(budgets.zero_over_one.epsilon > 0)) {
    return InvalidArgument("a mirror needs an epsilon above 0 backwards");
  }
  return StaircaseMirror::Create({.epsilon = budgets.one_over_zero.epsilon,
                                  .delta = budgets.one_over_zero.delta,
                                  .back = budgets.zero_over_one.epsilon});
}

// A round that is replaced leaves one point and joins another: a gate each, and
// a mirror in each direction.
Spend PointDesign::Parts(Relation relation) const {
  constexpr SpentNoise kTable = {.kind = SamplerKind::kTable};
  const Spend passing = MakePart("gate", gate, kTable);
  const Spend up = MakePart("mirror, with it", mirror.one_over_zero, kTable);
  const Spend down =
      MakePart("mirror, without it", mirror.zero_over_one, kTable);
  if (relation != Relation::kReplace) {
    return AddParts("round", {passing, TakeLargest("mirror", {up, down})});
  }
  return AddParts("round", {AddParts("gates", {passing, passing}),
                            AddParts("mirrors", {up, down})});
}

void PointDesign::Save(ByteWriter& writer) const {
  for (const ApproximateDp& part :
       {gate, mirror.one_over_zero, mirror.zero_over_one}) {
    writer.Real(part.epsilon);
    writer.Real(part.delta);
  }
  writer.Number(static_cast<std::uint8_t>(stairs));
}

PointDesign PointDesign::Load(ByteReader& reader) {
  PointDesign design;
  for (ApproximateDp* part : {&design.gate, &design.mirror.one_over_zero,
                              &design.mirror.zero_over_one}) {
    part->epsilon = reader.Real();
    part->delta = reader.Real();
  }
  design.stairs = reader.Number<std::uint8_t>() == 1;
  return design;
}

Result<ApproximateDp> RoundTarget(const ApproximateDp& user, Relation relation,
                                  std::uint64_t rounds) {
  if (!(user.delta > 0)) {
    return InvalidArgument("points needs a --delta, such as 1e-6");
  }
  return PerRoundTarget(user, Steps(relation, rounds));
}

Spend UserPromise(Spend round, Relation relation, std::uint64_t rounds) {
  return ForSteps(std::move(round), Steps(relation, rounds));
}

Result<PointDesign> ChoosePointDesign(const ApproximateDp& round,
                                      Relation relation) {
  const bool replace = relation == Relation::kReplace;
  Candidate best;
  if (round.delta >= 4 * kLeastDelta) {
    if (!replace) best = BestSymmetric(round);
    if (replace && round.epsilon >= kStepsFrom) best = BestSteps(round);
    if (replace && round.epsilon < kStairsUntil) {
      const Candidate stairs = BestStairs(round);
      if (stairs.mistakes < best.mistakes) best = stairs;
    }
  }
  if (best.found()) return best.design;
  return InvalidArgument(
      "points needs more: an epsilon of at least " +
      std::string(replace ? "0.08" : "0.055") +
      " and delta of at least 4e-12 for each round of a user");
}

}  // namespace sotto
