#include "sotto/models/everlasting/everlasting_sizes.h"

#include <algorithm>
#include <cmath>

#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/mechanisms/thresholds/stopper.h"

namespace sotto {
namespace {

// Fraction of the mediums that may come from noise alone where teachers agree.
constexpr double kByNoise = 0.02;
// Rounds of a phase over those needed.
constexpr double kMargin = 1.1;
constexpr double kEarly = 0.05;

std::int64_t GapAt(const PhaseNeeds& needs, double rate) {
  return std::max<std::int64_t>(1, std::llround(needs.shape.gap / rate));
}

std::uint64_t RoundsFor(const PhaseNeeds& needs, double teachers) {
  if (needs.shape.rounds > 0) return needs.shape.rounds;
  const double lost = needs.shape.paid ? 0 : MediumShare(needs);
  const double rounds = teachers * needs.rows / needs.shape.honest / (1 - lost);
  return static_cast<std::uint64_t>(std::ceil(std::min(rounds, 0x1p60)));
}

std::int64_t ReportsFor(const PhaseNeeds& needs, std::uint64_t rounds) {
  if (needs.shape.reports > 0) return needs.shape.reports;
  const double mean = MediumShare(needs) * static_cast<double>(rounds);
  const double most = kMargin * mean + 3 * std::sqrt(mean) + 1;
  return std::llround(std::min(most, 0x1p60)) +
         StopperEarlySlack(needs.stopper, rounds, kEarly);
}

// Half of the votes, in noise scales, so that teachers who agree are heard
// through the noise.
double HalfVotes(const PhaseNeeds& needs) {
  if (needs.shape.paid) return kPaidTeachersPerScale / 2;
  const double quiet = std::log(1 / (kByNoise * MediumShare(needs)));
  return (needs.shape.gap / 2 + quiet) / (1 - 2 * Disagreement(needs));
}

Result<EverlastingPhase> FindPhase(const PhaseNeeds& needs, double teachers) {
  EverlastingPhase phase;
  phase.teachers =
      static_cast<std::int64_t>(std::ceil(std::min(teachers, 0x1p60)));
  phase.rounds = RoundsFor(needs, teachers);
  if (!needs.shape.paid) phase.reports = ReportsFor(needs, phase.rounds);
  SOTTO_TRY_ASSIGN(const auto rate,
                   LargestVoteRate(needs, phase.reports, phase.rounds));
  phase.rate = rate;
  if (!needs.shape.paid) phase.gap = GapAt(needs, rate);
  return phase;
}

}  // namespace

double Disagreement(const PhaseNeeds& needs) {
  return std::min(0.3, needs.shape.complexity / needs.rows);
}

double MediumShare(const PhaseNeeds& needs) {
  const EverlastingShape& shape = needs.shape;
  // The band and what noise adds to it, of all votes; votes change from none to
  // all over complexity / rows of the data.
  constexpr double kScales = 10;
  const double disputed =
      shape.complexity / needs.rows * (shape.gap + 2) / (shape.gap + kScales);
  const double honest = std::min(0.5, disputed);
  const double hostile = 1 - std::exp(-shape.gap / 2);
  return std::clamp(shape.honest * honest + (1 - shape.honest) * hostile, 1e-4,
                    0.9);
}

Result<double> LargestVoteRate(const PhaseNeeds& needs, std::int64_t reports,
                               std::uint64_t rounds) {
  const auto meets = [&](double rate) {
    const EverlastingPhase phase{.teachers = 1,
                                 .rate = rate,
                                 .gap = reports > 0 ? GapAt(needs, rate) : 0,
                                 .reports = reports,
                                 .rounds = rounds};
    return EverlastingDelta(phase, std::max(rounds, needs.before),
                            needs.stopper, needs.epsilon,
                            needs.relation) <= needs.delta;
  };
  constexpr double kLeast = 0x1p-28;
  constexpr double kMost = 16;
  const auto paid = static_cast<double>(
      reports > 0 ? static_cast<std::uint64_t>(reports) : rounds);
  double low = std::clamp(needs.epsilon / (4 * std::sqrt(paid)), kLeast, 1.0);
  while (low > kLeast && !meets(low)) low /= 2;
  double high = low;
  while (high < kMost && meets(high)) high *= 2;
  low = high > low ? high / 2 : low;
  while (high > low * 1.002) {
    const double middle = std::sqrt(low * high);
    (meets(middle) ? low : high) = middle;
  }
  SOTTO_TRY_ASSIGN(const auto rate, SnapRate(low));
  if (meets(rate)) return rate;
  return NotConverged("no noise is enough for this epsilon, delta and length");
}

// The noise grows as the root of the teachers, so from N teachers and N' that
// their noise asks for, N'^2 / N is nearly right. Where the rounds are given it
// does not depend on them, and N' is right.
Result<EverlastingPhase> SizePhase(const PhaseNeeds& needs) {
  if (needs.shape.teachers > 0) {
    return FindPhase(needs, static_cast<double>(needs.shape.teachers));
  }
  double teachers = needs.teachers > 0 ? static_cast<double>(needs.teachers)
                                       : 10 * HalfVotes(needs) + 100;
  constexpr int kSteps = 12;
  for (int i = 0; i < kSteps; ++i) {
    SOTTO_TRY_ASSIGN(const auto phase, FindPhase(needs, teachers));
    const double wanted = 2 * HalfVotes(needs) / phase.rate;
    if (std::abs(wanted - teachers) < 0.01 * teachers) break;
    const double next =
        needs.shape.rounds > 0 ? wanted : wanted * wanted / teachers;
    teachers = std::clamp(next, 1.0, 0x1p40);
  }
  return FindPhase(needs, teachers);
}

}  // namespace sotto
