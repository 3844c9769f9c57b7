#include "sotto/boundaries/boundary_phases.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sotto/accounting/rounding.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/mechanisms/thresholds/stopper.h"

namespace sotto {
namespace {

// Each phase is so much longer than the one before, so that what they give up
// has a sum.
constexpr double kGrowth = 1.25;
// Of the error aimed at: what the training set's strips may take, and what
// those of all later phases may.
constexpr double kTrainingPart = 0.65;
constexpr double kLaterPart = 0.25;
// Of a recycled set: how many of it may come from far inside and from outside,
// by noise alone.
constexpr double kFromInside = 0.1;
constexpr double kFromOutside = 0.02;
constexpr double kEarlyHalt = 0.01;  // probability, in a phase
// Phases that share one length of the schedule.
constexpr std::size_t kBlock = 3;
constexpr std::size_t kMostPhases = 90;

// What is free: none of it matters to privacy.
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
      const Margins margins = MarginsOf(length, scale);
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
  Margins MarginsOf(std::uint64_t length, double scale) const {
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

// What lies between the outermost point and where "1" begins, in records.
double GivenUp(const SideNoise& noise) {
  return static_cast<double>(noise.size - noise.low) + 1 / noise.rate;
}

std::vector<std::uint64_t> Lengths(double first, std::size_t count) {
  std::vector<std::uint64_t> lengths;
  for (std::size_t p = 0; p < count; ++p) {
    lengths.push_back(static_cast<std::uint64_t>(
        std::ceil(first * std::pow(kGrowth, static_cast<double>(p)))));
  }
  return lengths;
}

// Delta(i) of the rounds of each phase, what the samplers cost taken off; ends
// where that is no longer small. The training set comes first.
std::vector<double> Deltas(const BoundaryTarget& target,
                           const DeltaSchedule& schedule,
                           const std::vector<std::uint64_t>& lengths) {
  std::vector<double> deltas;
  std::uint64_t end = 0;
  for (std::size_t p = 0; p <= lengths.size(); ++p) {
    if (p > 0) end += lengths[p - 1];
    std::uint64_t rounds = p > 0 ? lengths[p - 1] : 0;
    if (p < lengths.size()) rounds += lengths[p];
    const double delta = schedule.At(end);
    double slack = BoundarySlack(rounds, target.sides, target.epsilon);
    if (p == 0) slack = UpAdd(slack, target.training_spent);
    if (!(slack <= delta / 8)) break;
    deltas.push_back(DownAdd(delta, -slack));
  }
  return deltas;
}

std::vector<std::uint64_t> LengthsOf(const std::vector<BoundaryPhase>& phases) {
  std::vector<std::uint64_t> lengths;
  for (const BoundaryPhase& phase : phases) lengths.push_back(phase.length);
  return lengths;
}

std::optional<BoundaryPhases> Solve(const BoundaryTarget& target,
                                    const Choice& choice, double first,
                                    std::size_t count) {
  const std::vector<std::uint64_t> lengths = Lengths(first, count);
  auto schedule = BoundarySchedule(target.delta, lengths);
  if (!schedule) return std::nullopt;
  const std::vector<double> deltas = Deltas(target, *schedule, lengths);
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
  auto rest = BoundarySchedule(target.delta, LengthsOf(found.phases));
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
  return target.sides * GivenUp(found.phases[1].initial) /
         (target.honest_fraction * second);
}

// The longest first phase for which the samplers cost little beside delta(i) in
// a few phases.
double LongestFirst(const BoundaryTarget& target) {
  const double each = BoundarySlack(1'000'000, target.sides, target.epsilon) *
                      1e-6 * kBlock;  // of a round
  return std::sqrt(target.delta / (256 * each));
}

// Lengths and noise depend on each other: settles both.
std::optional<double> SettleFirst(const BoundaryTarget& target,
                                  const Choice& choice) {
  double first = 1e6;
  for (int i = 0; i < 12; ++i) {
    const auto found = Solve(target, choice, first, kBlock);
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

Status CheckTarget(const BoundaryTarget& target) {
  if (!(target.epsilon > 0 && target.epsilon <= 16)) {
    return InvalidArgument("epsilon must be in (0, 16]");
  }
  if (!(target.delta >= 1e-30 && target.delta < 1)) {
    return InvalidArgument(
        "delta must be at least 1e-30 and below 1: nothing everlasting is "
        "known without one");
  }
  if (!(target.training_epsilon >= 0 &&
        target.training_epsilon <= target.epsilon &&
        target.training_spent >= 0)) {
    return InvalidArgument("the training set has a part of epsilon");
  }
  if (target.sides < 1 || target.sides > (1U << 12)) {
    return InvalidArgument("there must be 1 to 4096 sides");
  }
  if (!(target.error >= 1e-4 && target.error <= 0.5)) {
    return InvalidArgument("the error aimed at must be in [0.0001, 0.5]");
  }
  if (!(target.honest_fraction >= 1e-3 && target.honest_fraction <= 1)) {
    return InvalidArgument("the honest fraction must be in [0.001, 1]");
  }
  return Ok();
}

}  // namespace

// {1, the first phases but for that round, ...}: the training set costs as much
// as the rounds of the schedule's first block, which has one (boundaries.md,
// step 7). 4/3 because Phases spends at most 3/4 of its total.
Result<DeltaSchedule> BoundarySchedule(
    double delta, const std::vector<std::uint64_t>& lengths) {
  std::vector<std::uint64_t> blocks = {1};
  for (std::size_t p = 0; p < lengths.size(); p += kBlock) {
    std::uint64_t block = p == 0 ? std::uint64_t{0} - 1 : 0;
    for (std::size_t q = p; q < std::min(p + kBlock, lengths.size()); ++q) {
      block += lengths[q];
    }
    blocks.push_back(std::max<std::uint64_t>(block, 1));
  }
  // A little less, so that a group of rounds keeps its sum, too.
  const double total = DownMul(DownDiv(DownMul(delta, 4), 3), 1 - 0x1p-40);
  return DeltaSchedule::Phases(total, std::move(blocks));
}

std::uint64_t BoundaryPhases::rounds() const {
  std::uint64_t sum = 0;
  for (const BoundaryPhase& phase : phases) sum += phase.length;
  return sum;
}

namespace {

template <typename Lost>
double SumOfStrips(const BoundaryPhases& all, std::size_t phase, double rows,
                   const Lost& lost) {
  double error = lost(all.phases[0].initial) / rows;
  for (std::size_t p = 1; p <= phase; ++p) {
    error += lost(all.phases[p].initial) /
             (all.target.honest_fraction *
              static_cast<double>(all.phases[p - 1].length));
  }
  return std::min(1.0, all.target.sides * error);
}

}  // namespace

double BoundaryPhases::ExpectedError(std::size_t phase, double rows) const {
  return SumOfStrips(*this, phase, rows, GivenUp);
}

double BoundaryPhases::WorstError(std::size_t phase, double rows) const {
  return SumOfStrips(*this, phase, rows, [](const SideNoise& noise) {
    return static_cast<double>(noise.size);
  });
}

double BoundaryPhases::RowsRequired() const {
  return target.sides * GivenUp(phases[0].initial) /
         (kTrainingPart * target.error);
}

Result<BoundaryPhases> ChooseBoundaryPhases(const BoundaryTarget& target) {
  if (Status good = CheckTarget(target); !good) return good.error();
  std::optional<Choice> best;
  double best_rows = 0;
  double best_first = 0;
  for (const Choice& choice : Choices(target)) {
    const auto first = SettleFirst(target, choice);
    if (!first) continue;
    const auto found = Solve(target, choice, *first, kBlock);
    if (!found || found->phases.size() < 2) continue;
    // Rows and rounds alike.
    const double rows = found->RowsRequired() * std::sqrt(FirstLength(*found));
    if (best && rows >= best_rows) continue;
    best = choice;
    best_rows = rows;
    best_first = *first;
  }
  std::optional<BoundaryPhases> found;
  if (best) found = Solve(target, *best, best_first, kMostPhases);
  if (!found) {
    return Error{ErrorCode::kNotConverged,
                 "no boundary sets of any size meet the target"};
  }
  if (Status kept = CheckBoundaryPhases(*found); !kept) return kept.error();
  return *std::move(found);
}

Status CheckBoundaryPhases(const BoundaryPhases& all) {
  const BoundaryTarget& target = all.target;
  const std::vector<std::uint64_t> lengths = LengthsOf(all.phases);
  for (const BoundaryPhase& phase : all.phases) {
    for (const SideNoise* noise : {&phase.initial, &phase.recycled}) {
      if (Status good = Validate(*noise); !good) return good;
    }
    if (phase.initial.stopper != phase.recycled.stopper ||
        phase.initial.rounds_per_check != kRoundsPerCheck ||
        phase.recycled.rounds_per_check != kRoundsPerCheck) {
      return InvalidArgument("the copies of a phase have one kind of Stopper");
    }
  }
  const std::vector<double> deltas = Deltas(target, all.schedule, lengths);
  if (deltas.size() != lengths.size() + 1) {
    return Error{ErrorCode::kNotConverged, "the samplers cost too much"};
  }
  const double training =
      target.training_epsilon > 0 ? target.training_epsilon : target.epsilon;
  bool kept =
      TrainingDelta(all.phases[0].initial, target.sides, training) <= deltas[0];
  for (std::size_t p = 0; kept && p < all.phases.size(); ++p) {
    const SideNoise& recycled = all.phases[p].recycled;
    const double paid =
        p + 1 < all.phases.size()
            ? QueryDelta(recycled, all.phases[p + 1].initial, target.sides,
                         target.relation, target.epsilon)
            : MediumDelta(recycled, target.sides, target.relation,
                          target.epsilon);
    kept = paid <= deltas[p + 1];
  }
  if (kept) return Ok();
  return Error{ErrorCode::kBudgetExhausted,
               "the phases cost more than their delta"};
}

namespace {

void SaveNoise(const SideNoise& noise, ByteWriter& writer) {
  writer.Real(noise.rate);
  for (const std::int64_t whole :
       {noise.low, noise.high, noise.size, noise.limit}) {
    writer.Number(whole);
  }
  writer.Real(noise.stopper);
}

SideNoise LoadNoise(ByteReader& reader) {
  SideNoise noise;
  noise.rate = reader.Real();
  for (std::int64_t* whole :
       {&noise.low, &noise.high, &noise.size, &noise.limit}) {
    *whole = reader.Number<std::int64_t>();
  }
  noise.stopper = reader.Real();
  return noise;
}

}  // namespace

void BoundaryPhases::Save(ByteWriter& writer) const {
  writer.Number(static_cast<std::uint64_t>(phases.size()));
  for (const BoundaryPhase& phase : phases) {
    writer.Number(phase.length);
    SaveNoise(phase.initial, writer);
    SaveNoise(phase.recycled, writer);
  }
}

Result<BoundaryPhases> BoundaryPhases::Load(const BoundaryTarget& target,
                                            ByteReader& reader) {
  if (Status good = CheckTarget(target); !good) return good.error();
  std::vector<BoundaryPhase> phases;
  const auto count = reader.Number<std::uint64_t>();
  std::uint64_t rounds = 0;
  bool sound = count >= 1 && count <= kMostPhases;
  for (std::uint64_t p = 0; sound && p < count; ++p) {
    const auto length = reader.Number<std::uint64_t>();
    const SideNoise initial = LoadNoise(reader);
    phases.push_back({length, initial, LoadNoise(reader)});
    rounds += length;
    sound = length >= 1 && length < (std::uint64_t{1} << 62) &&
            rounds < (std::uint64_t{1} << 63);
  }
  const Error damaged{ErrorCode::kCorruption, "the saved phases make no sense"};
  if (!sound || reader.failed()) return damaged;
  auto schedule = BoundarySchedule(target.delta, LengthsOf(phases));
  if (!schedule) return damaged;
  BoundaryPhases all{target, std::move(phases), *std::move(schedule)};
  if (Status kept = CheckBoundaryPhases(all); !kept) return damaged;
  return all;
}

}  // namespace sotto
