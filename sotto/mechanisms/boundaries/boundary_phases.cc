#include "sotto/mechanisms/boundaries/boundary_phases.h"

#include <algorithm>
#include <utility>

#include "sotto/accounting/rounding.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"

namespace sotto {
namespace {

// Fraction of the target error that the training set's strips may take.
constexpr double kTrainingPart = 0.75;

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

Status Validate(const BoundaryTarget& target) {
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

// Records between the outermost point and where "1" begins.
double BoundaryGivenUp(const SideNoise& noise) {
  return static_cast<double>(noise.size - noise.low) + 1 / noise.rate;
}
// Delta(i) of the rounds of each phase, what the samplers cost taken off; ends
// where that is no longer small. The training set comes first.
std::vector<double> BoundaryDeltas(const BoundaryTarget& target,
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
std::vector<std::uint64_t> BoundaryLengths(
    const std::vector<BoundaryPhase>& phases) {
  std::vector<std::uint64_t> lengths;
  lengths.reserve(phases.size());
  for (const BoundaryPhase& phase : phases) lengths.push_back(phase.length);
  return lengths;
}
// {1, the first phases but for that round, ...}: the training set costs as much
// as the rounds of the schedule's first block, which has one (boundaries.md,
// step 7). 4/3 because Phases spends at most 3/4 of its total.
Result<DeltaSchedule> BoundarySchedule(
    double delta, const std::vector<std::uint64_t>& lengths) {
  std::vector<std::uint64_t> blocks = {1};
  for (std::size_t p = 0; p < lengths.size(); p += kBoundaryBlock) {
    std::uint64_t block = p == 0 ? std::uint64_t{0} - 1 : 0;
    for (std::size_t q = p; q < std::min(p + kBoundaryBlock, lengths.size());
         ++q) {
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
double BoundaryPhases::ExpectedError(std::size_t phase, double rows) const {
  return SumOfStrips(*this, phase, rows, BoundaryGivenUp);
}

double BoundaryPhases::WorstError(std::size_t phase, double rows) const {
  return SumOfStrips(*this, phase, rows, [](const SideNoise& noise) {
    return static_cast<double>(noise.size);
  });
}
double BoundaryPhases::RowsRequired() const {
  return target.sides * BoundaryGivenUp(phases[0].initial) /
         (kTrainingPart * target.error);
}
Status CheckBoundaryPhases(const BoundaryPhases& all) {
  const BoundaryTarget& target = all.target;
  const std::vector<std::uint64_t> lengths = BoundaryLengths(all.phases);
  for (const BoundaryPhase& phase : all.phases) {
    for (const SideNoise* noise : {&phase.initial, &phase.recycled}) {
      SOTTO_TRY(Validate(*noise));
      // A Stopper takes the rate that a sampler can have exactly. A smaller one
      // would halt later than what is charged.
      const auto snapped = SnapRate(noise->stopper);
      if (!snapped || *snapped != noise->stopper) {
        return InvalidArgument("a Stopper's rate must be exact");
      }
    }
    if (phase.initial.stopper != phase.recycled.stopper ||
        phase.initial.rounds_per_check != kRoundsPerCheck ||
        phase.recycled.rounds_per_check != kRoundsPerCheck) {
      return InvalidArgument("the copies of a phase have one kind of Stopper");
    }
  }
  const std::vector<double> deltas =
      BoundaryDeltas(target, all.schedule, lengths);
  if (deltas.size() != lengths.size() + 1) {
    return NotConverged("the samplers cost too much");
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
  return BudgetExhausted("the phases cost more than their delta");
}

void BoundaryPhases::Save(ByteWriter& writer) const {
  writer.Number(static_cast<std::uint64_t>(phases.size()));
  for (const BoundaryPhase& phase : phases) {
    writer.Number(phase.length);
    SaveNoise(phase.initial, writer);
    SaveNoise(phase.recycled, writer);
  }
}

Result<BoundaryPhases> BoundaryPhases::Load(const BoundaryTarget& target,
                                            ByteReader& reader, Check check) {
  SOTTO_TRY(Validate(target));
  if (check == nullptr) check = CheckBoundaryPhases;
  std::vector<BoundaryPhase> phases;
  const auto count = reader.Number<std::uint64_t>();
  std::uint64_t rounds = 0;
  bool sound = count >= 1 && count <= kMostBoundaryPhases;
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
  auto schedule = BoundarySchedule(target.delta, BoundaryLengths(phases));
  if (!schedule) return damaged;
  BoundaryPhases all{target, std::move(phases), *std::move(schedule)};
  if (Status kept = check(all); !kept) return damaged;
  return all;
}

}  // namespace sotto
