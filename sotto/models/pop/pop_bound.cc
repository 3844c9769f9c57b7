#include "sotto/models/pop/pop_bound.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/mechanisms/thresholds/stopper.h"

namespace sotto {
namespace {

// Pr[Z >= m] for discrete Laplace noise.
double UpperTail(double rate, double m) {
  const double theta = std::exp(-rate);
  return m >= 0 ? std::exp(-rate * m) / (1 + theta)
                : 1 - std::exp(-rate * (1 - m)) / (1 + theta);
}

double PaidAt(const PopPhase& phase, const PopBand& band, std::int64_t votes) {
  const double low = static_cast<double>(band.low + 1 - votes);
  const double high = static_cast<double>(band.high - votes);
  return UpperTail(phase.rate, low) - UpperTail(phase.rate, high);
}

// Probability of the event when `wrong` copies are wrong, for the worse label.
double EventAt(const PopPhase& phase, const PopBand& band, PopEvent event,
               std::int64_t wrong) {
  if (event == PopEvent::kPaid) {
    return std::max(PaidAt(phase, band, wrong),
                    PaidAt(phase, band, phase.copies - wrong));
  }
  // The answer is wrong if wrong + Z is more than half, or half and a coin
  // falls badly; both labels are alike.
  const std::int64_t half = phase.copies / 2;
  const double more =
      UpperTail(phase.rate, static_cast<double>(half + 1 - wrong));
  if (phase.copies % 2 != 0) return more;
  return 0.5 *
         (more + UpperTail(phase.rate, static_cast<double>(half - wrong)));
}

// Step 3 of the proof for one lambda: nothing if gamma >= 1.
std::optional<double> EventsAt(double lambda, const std::vector<double>& chance,
                               double share, double advances, double rounds,
                               double failure) {
  const double grow = std::expm1(lambda);
  const auto copies = static_cast<double>(chance.size() - 1);
  double gamma = 0;
  for (std::size_t wrong = 1; wrong < chance.size(); ++wrong) {
    const double drop = 1 - (1 + chance[0] * grow) / (1 + chance[wrong] * grow);
    gamma =
        std::max(gamma, copies / (share * static_cast<double>(wrong)) * drop);
  }
  if (gamma >= 1) return std::nullopt;
  return (-std::log1p(-gamma) * advances +
          rounds * std::log1p(chance[0] * grow) - std::log(failure)) /
         lambda;
}

double ComputeShare(const PopSchedule& schedule, const PopPhase& phase) {
  if (schedule.handover != PhaseEnd::kStandby) return 1;
  return static_cast<double>(phase.active_share) / PopPhase::kAllExamples;
}

}  // namespace

std::optional<double> PopPhaseEvents(const PopPhase& phase, PopEvent event,
                                     double active_share,
                                     const PopBoundRequest& request) {
  constexpr std::int64_t kMostCopies = 1 << 18;
  if (!(active_share > 0) || phase.copies > kMostCopies) return std::nullopt;
  const PopBand band = ComputeBand(phase);
  std::vector<double> chance;
  for (std::int64_t wrong = 0; wrong <= phase.copies; ++wrong) {
    chance.push_back(EventAt(phase, band, event, wrong));
  }
  const double advances = static_cast<double>(phase.copies) * request.mistakes;
  std::optional<double> best;
  for (double lambda = 1.0 / 64; lambda < 8; lambda *= 1.4) {
    const auto events =
        EventsAt(lambda, chance, active_share, advances,
                 static_cast<double>(request.rounds), request.failure);
    if (events && (!best || *events < *best)) best = events;
  }
  return best;
}

std::optional<double> PopMistakes(const PopSchedule& schedule,
                                  const PopBoundRequest& request) {
  // An adversary who chooses names knows a pinned user's copy (step 1). A last
  // phase with a clock repeats an unknown number of times (step 4).
  if (schedule.variant == PopVariant::kMajority || schedule.mistakes > 0 ||
      schedule.pin_users || schedule.phases.back().rounds > 0) {
    return std::nullopt;
  }
  const auto phases = static_cast<double>(schedule.phases.size());
  PopBoundRequest part = request;
  part.failure = request.failure / (3 * phases);
  double mistakes = 0;
  for (const PopPhase& phase : schedule.phases) {
    const double share = ComputeShare(schedule, phase);
    part.rounds = phase.rounds > 0 ? std::min(phase.rounds, request.rounds)
                                   : request.rounds;
    const auto paid = PopPhaseEvents(phase, PopEvent::kPaid, share, part);
    const auto wrong = PopPhaseEvents(phase, PopEvent::kMistake, share, part);
    if (!paid || !wrong) return std::nullopt;
    // No more phases than planned: the Stopper must stay silent in each.
    const std::int64_t slack =
        StopperEarlySlack(schedule.stopper, part.rounds, part.failure);
    if (*paid > static_cast<double>(phase.reports - slack)) return std::nullopt;
    mistakes += *wrong;
  }
  if (mistakes >= static_cast<double>(request.rounds)) return std::nullopt;
  return mistakes;
}

}  // namespace sotto
