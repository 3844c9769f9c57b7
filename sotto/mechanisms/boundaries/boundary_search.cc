#include <algorithm>
#include <cmath>
#include <optional>

#include "sotto/accounting/rounding.h"
#include "sotto/base/memo.h"
#include "sotto/mechanisms/boundaries/boundary_phases.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/mechanisms/thresholds/stopper.h"

namespace sotto {
namespace {

// Each phase is so much longer than the one before, so that what they give up
// has a sum.
constexpr double kGrowth = 1.25;
// Fraction of the target error that the strips of all later phases may take.
constexpr double kLaterPart = 0.15;
// Fractions of a recycled set that may come from far inside and from outside,
// by noise alone.
constexpr double kFromInside = 0.1;
constexpr double kFromOutside = 0.02;
constexpr double kEarlyHalt = 0.01;  // probability, in a phase

// Free parameters: none of them matters to privacy.
struct Choice {
  double gap = 3;          // of the band, in scales
  double stopper = 0.03;   // of epsilon
  double recycled = 0.35;  // of the log-moments, for kReplace
};

// The distances in scales of noise, from what noise may not cross.
struct Margins {
  double inside = 0;
  double gap = 0;
  double outside = 0;
  double all() const { return inside + gap + outside; }
};

Margins MarginsFor(double rounds, double size, double gap) {
  constexpr double kLeast = 2;
  return {std::max(kLeast, std::log(rounds / (2 * kFromInside * size))), gap,
          std::max(kLeast, std::log(rounds / (2 * kFromOutside * size)))};
}

std::optional<SideNoise> AtScale(double scale, const Margins& margins,
                                 std::int64_t limit, double stopper) {
  const auto rate = SnapRate(1 / scale);
  if (!rate) return std::nullopt;
  const auto whole = [&](double scales) {
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::ceil(scales * scale)));
  };
  SideNoise noise{.rate = *rate,
                  .low = whole(margins.inside),
                  .limit = limit,
                  .stopper = stopper};
  noise.high = noise.low + whole(margins.gap) + 1;
  noise.size = noise.high + whole(margins.outside);
  if (!Validate(noise)) return std::nullopt;
  return noise;
}

// The least scale of noise in [1/2, 2^36] that meets a target, to within 0.1 %.
template <typename Make, typename Meets>
std::optional<SideNoise> LeastScale(const Make& make, const Meets& meets) {
  double low = std::log(0.5);
  double high = std::log(0x1p36);
  std::optional<SideNoise> best;
  while (high - low > 1e-3) {
    const double middle = (low + high) / 2;
    const std::optional<SideNoise> made = make(std::exp(middle));
    if (made && meets(*made)) {
      best = made;
      high = middle;
    } else {
      (made ? low : high) = middle;
    }
  }
  return best;
}

// Finds the copies of one phase after the other.
class Finder {
 public:
  Finder(const BoundaryTarget& target, const Choice& choice)
      : target_(target),
        choice_(choice),
        stopper_(*SnapRate(choice.stopper * target.epsilon)) {}

  // A set that its own mediums can fill again.
  std::optional<SideNoise> Recycled(std::uint64_t length, double delta) const {
    const auto make = [&](double scale) -> std::optional<SideNoise> {
      const Margins margins = ComputeMargins(length, scale);
      auto noise = AtScale(scale, margins, 1, stopper_);
      if (noise) noise->limit = LimitFor(noise->size, length);
      return noise;
    };
    const double part =
        target_.relation == Relation::kReplace ? choice_.recycled : 1;
    return LeastScale(make, [&](const SideNoise& noise) {
      if (MediumDelta(noise, target_.sides, target_.relation, target_.epsilon) >
          delta) {
        return false;
      }
      const RenyiCurve curve =
          PureCurve(noise.stopper).ComposedWith(CopyCurve(noise));
      return DeltaFromRenyi(curve.Repeated(1 / part), target_.epsilon) <= delta;
    });
  }

  // The copies with which a phase begins, whose mediums fill `recycled`.
  // `before`: the recycled copies of the phase before; absent: the training
  // set is next.
  std::optional<SideNoise> Initial(
      std::uint64_t length, double delta, const SideNoise& recycled,
      const std::optional<SideNoise>& before) const {
    const auto make = [&](double scale) {
      const Margins margins =
          MarginsFor(static_cast<double>(length),
                     static_cast<double>(recycled.size), choice_.gap);
      return AtScale(scale, margins, recycled.limit, stopper_);
    };
    return LeastScale(make, [&](const SideNoise& noise) {
      const double paid =
          before ? QueryDelta(*before, noise, target_.sides, target_.relation,
                              target_.epsilon)
                 : TrainingDelta(noise, target_.sides, TrainingEpsilon());
      return paid <= delta;
    });
  }

 private:
  double TrainingEpsilon() const {
    return target_.training_epsilon > 0 ? target_.training_epsilon
                                        : target_.epsilon;
  }
  // The margins depend on the size, and that on them: a few steps settle it.
  Margins ComputeMargins(std::uint64_t length, double scale) const {
    double size = 20 * scale;
    Margins margins;
    for (int i = 0; i < 4; ++i) {
      margins = MarginsFor(static_cast<double>(length), size, choice_.gap);
      size = margins.all() * scale;
    }
    return margins;
  }
  std::int64_t LimitFor(std::int64_t size, std::uint64_t length) const {
    return size + StopperEarlySlack(
                      stopper_,
                      length / static_cast<std::uint64_t>(kRoundsPerCheck),
                      kEarlyHalt);
  }

  BoundaryTarget target_;
  Choice choice_;
  double stopper_;
};
std::vector<std::uint64_t> Lengths(double first, std::size_t count) {
  std::vector<std::uint64_t> lengths;
  for (std::size_t p = 0; p < count; ++p) {
    lengths.push_back(static_cast<std::uint64_t>(
        std::ceil(first * std::pow(kGrowth, static_cast<double>(p)))));
  }
  return lengths;
}
std::optional<BoundaryPhases> Solve(const BoundaryTarget& target,
                                    const Choice& choice, double first,
                                    std::size_t count) {
  const std::vector<std::uint64_t> lengths = Lengths(first, count);
  auto schedule = BoundarySchedule(target.delta, lengths);
  if (!schedule) return std::nullopt;
  const std::vector<double> deltas = BoundaryDeltas(target, *schedule, lengths);
  const Finder finder(target, choice);
  BoundaryPhases found{target, {}, *std::move(schedule)};
  std::optional<SideNoise> before;
  for (std::size_t p = 0; p + 1 < deltas.size(); ++p) {
    const auto recycled = finder.Recycled(lengths[p], deltas[p + 1]);
    if (!recycled) break;
    const auto initial =
        finder.Initial(lengths[p], deltas[p], *recycled, before);
    if (!initial) break;
    found.phases.push_back({lengths[p], *initial, *recycled});
    before = recycled;
  }
  if (found.phases.empty()) return std::nullopt;
  // For fewer phases there is no less delta for each.
  auto rest = BoundarySchedule(target.delta, BoundaryLengths(found.phases));
  if (!rest) return std::nullopt;
  found.schedule = *std::move(rest);
  return found;
}

// So long that the strips of the second phase, and with them those of all later
// ones, take their part of the error.
double FirstLength(const BoundaryPhases& found) {
  const BoundaryTarget& target = found.target;
  const double second =
      kLaterPart * target.error * (1 - 1 / kGrowth);  // and a sum above it
  return target.sides * BoundaryGivenUp(found.phases[1].initial) /
         (target.honest_fraction * second);
}

// The longest first phase for which the samplers cost little beside delta(i) in
// a few phases.
double LongestFirst(const BoundaryTarget& target) {
  const double each = BoundarySlack(1'000'000, target.sides, target.epsilon) *
                      1e-6 * kBoundaryBlock;  // of a round
  return std::sqrt(target.delta / (256 * each));
}

// Lengths and noise depend on each other: settles both.
std::optional<double> SettleFirst(const BoundaryTarget& target,
                                  const Choice& choice) {
  double first = 1e6;
  for (int i = 0; i < 12; ++i) {
    const auto found = Solve(target, choice, first, kBoundaryBlock);
    if (!found || found->phases.size() < 2) return std::nullopt;
    const double next = std::min(FirstLength(*found), LongestFirst(target));
    if (std::abs(next / first - 1) < 0.03) return next;
    first = next;
  }
  return first;
}

std::vector<Choice> Choices(const BoundaryTarget& target) {
  std::vector<Choice> choices;
  const bool replace = target.relation == Relation::kReplace;
  for (const double stopper : {0.02, 0.04}) {
    for (const double part : {0.2, 0.35, 0.5}) {
      if (replace || part == 0.35) choices.push_back({2, stopper, part});
    }
  }
  return choices;
}

Result<BoundaryPhases> Choose(const BoundaryTarget& target) {
  std::optional<Choice> best;
  double best_rows = 0;
  double best_first = 0;
  for (const Choice& choice : Choices(target)) {
    const auto first = SettleFirst(target, choice);
    if (!first) continue;
    const auto found = Solve(target, choice, *first, kBoundaryBlock);
    if (!found || found->phases.size() < 2) continue;
    // Rows and rounds alike.
    const double rows = found->RowsRequired() * std::sqrt(FirstLength(*found));
    if (best && rows >= best_rows) continue;
    best = choice;
    best_rows = rows;
    best_first = *first;
  }
  std::optional<BoundaryPhases> found;
  if (best) found = Solve(target, *best, best_first, kMostBoundaryPhases);
  if (!found) {
    return NotConverged("no boundary sets of any size meet the target");
  }
  SOTTO_TRY(CheckBoundaryPhases(*found));
  return *std::move(found);
}

}  // namespace

Result<BoundaryPhases> ChooseBoundaryPhases(const BoundaryTarget& target) {
  SOTTO_TRY(Validate(target));
  static Memo<BoundaryTarget, Result<BoundaryPhases>> memo;
  return memo.Get(target, [&] { return Choose(target); });
}

}  // namespace sotto
