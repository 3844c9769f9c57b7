#include "sotto/models/pop/pop_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace sotto {
namespace {

// The waiting generation should know at least this share of all examples when
// the horizon comes, so that nothing is relearned beyond it.
constexpr double kWarmShare = 0.05;
constexpr double kWarmPrice = 0.1;

// SplitMix64: the search is deterministic and has nothing to hide.
class Walk {
 public:
  double Next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  std::size_t Below(std::size_t size) {
    return static_cast<std::size_t>(Next() * static_cast<double>(size));
  }

 private:
  std::uint64_t state_ = 1;
};

PopShape FirstShape(const PopSearch& search, int phases) {
  PopShape shape{.stopper = 0.15 * search.epsilon};
  const auto rounds = static_cast<double>(search.behaviour.rounds);
  for (int i = 0; i < phases; ++i) {
    PopShape::Phase& phase = shape.phases.emplace_back();
    const double back = phases - 1 - i;
    phase.rounds = rounds * std::pow(0.02, back / std::max(1, phases - 1));
    if (i + 1 == phases && !search.steady) phase.share = 0.9;
    if (search.steady) phase.solo = 0;
    if (i > 0) phase.half = 12;
    if (search.variant == PopVariant::kMajority) phase.half = 40;
  }
  return shape;
}

// In odds, so that shares stay inside (0, 1).
double Tilt(double share, double factor) {
  const double odds = share / (1 - share) * factor;
  return std::clamp(odds / (1 + odds), 0.02, 0.98);
}

void Vary(PopShape& shape, const PopSearch& search, double reach, Walk& walk) {
  PopShape::Phase& phase = shape.phases[walk.Below(shape.phases.size())];
  const double factor = std::exp((walk.Next() - 0.5) * reach);
  const double square = factor * factor;
  const double most = search.variant == PopVariant::kMajority ? 250.0 : 60.0;
  switch (walk.Below(7)) {
    case 0:
      phase.half = std::clamp(phase.half * factor, 1.5, most);
      break;
    case 1:
      phase.reports = std::clamp(phase.reports * square, 2.0, 1e7);
      break;
    case 2:
      phase.band = std::clamp(phase.band * square, 0.05, 4.0);
      break;
    case 3:
      if (!search.steady) phase.share = Tilt(phase.share, square);
      break;
    case 4:
      if (!search.steady) phase.solo = Tilt(phase.solo, square);
      break;
    case 5:
      phase.rounds = std::max(1.0, phase.rounds * square);
      break;
    default:
      shape.stopper = std::clamp(shape.stopper * factor, 0.02 * search.epsilon,
                                 0.7 * search.epsilon);
  }
}

// Costs of at least `enough` are all the same to the caller.
double ComputeCost(const PopShape& shape, const PopSearch& search,
                   const PopModel& model, PopNoise& noise,
                   double enough = std::numeric_limits<double>::infinity()) {
  constexpr double kImpossible = 1e30;
  std::vector<double> scales;
  for (const PopShape::Phase& phase : shape.phases) {
    const double scale = noise.About(phase.reports, phase.band, shape.stopper);
    if (!(scale < 1e9)) return kImpossible;
    scales.push_back(scale);
  }
  const PopSchedule schedule = MakeSchedule(shape, scales, search);
  const PopExpectation expected =
      model.Expect(schedule, search.behaviour, enough);
  if (search.handover != PhaseEnd::kStandby) return expected.mistakes;
  const double warm = kWarmShare * search.behaviour.label_rate *
                      static_cast<double>(search.behaviour.rounds);
  const double cold = std::max(0.0, 1 - expected.standby_examples / warm);
  return expected.mistakes * (1 + kWarmPrice * cold);
}

}  // namespace

PopSchedule MakeSchedule(const PopShape& shape,
                         const std::vector<double>& scales,
                         const PopSearch& search) {
  PopSchedule schedule{.variant = search.variant,
                       .handover = search.handover,
                       .stopper = shape.stopper,
                       .mistakes = search.mistakes,
                       .pin_users = search.pin_users};
  double left = static_cast<double>(search.behaviour.rounds);
  for (std::size_t i = 0; i < shape.phases.size(); ++i) {
    const PopShape::Phase& from = shape.phases[i];
    PopPhase& phase = schedule.phases.emplace_back();
    phase.rate = 1 / scales[i];
    const auto copies = std::llround(2 * from.half * scales[i]);
    // Odd: no ties. The paper's thresholds lie at quarters.
    phase.copies = search.variant == PopVariant::kMajority
                       ? std::max<std::int64_t>(4, (copies + 3) / 4 * 4)
                       : std::max<std::int64_t>(1, copies | 1);
    phase.gap = std::max<std::int64_t>(1, std::llround(from.band * scales[i]));
    phase.reports = std::max<std::int64_t>(1, std::llround(from.reports));
    const bool last = i + 1 == shape.phases.size();
    const double rounds = last ? left : std::min(from.rounds, left);
    if (!last) {
      phase.rounds = static_cast<std::uint64_t>(std::max(1.0, rounds));
    }
    phase.solo = static_cast<std::uint64_t>(std::max(0.0, from.solo * rounds));
    phase.active_share = static_cast<std::uint32_t>(
        std::lround(from.share * PopPhase::kAllExamples));
    left = std::max(1.0, left - rounds);
  }
  return schedule;
}

PopSearchResult SearchShape(const PopSearch& search, const PopModel& model,
                            PopNoise& noise, int phases, int steps) {
  Walk walk;
  PopSearchResult best{FirstShape(search, phases), 0};
  best.cost = ComputeCost(best.shape, search, model, noise);
  double reach = 1.2;
  for (int step = 0; step < steps; ++step) {
    PopShape shape = best.shape;
    Vary(shape, search, reach, walk);
    const double cost = ComputeCost(shape, search, model, noise, best.cost);
    if (cost < best.cost) best = {std::move(shape), cost};
    if (step % 100 == 99) reach = std::max(0.15, reach * 0.88);
  }
  return best;
}

}  // namespace sotto
