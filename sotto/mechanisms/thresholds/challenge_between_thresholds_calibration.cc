#include "sotto/mechanisms/thresholds/challenge_between_thresholds_calibration.h"

#include <algorithm>
#include <cmath>

#include "sotto/accounting/monotone_search.h"
#include "sotto/accounting/pop_accountant.h"
#include "sotto/accounting/rounding.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"
#include "sotto/mechanisms/thresholds/stopper.h"

namespace sotto {
namespace {

constexpr double kMinRate = 0x1p-30;
constexpr double kMaxRate = 64;
constexpr double kMinStopper = 0x1p-20;
constexpr double kCoarse = 0.01;
// The Stopper's epsilon, as shares of the whole, that are tried.
constexpr double kShares[] = {0.02, 0.03, 0.045, 0.065, 0.09, 0.12,
                              0.16, 0.2,  0.25,  0.31,  0.38, 0.46};

PopProcess MakeProcess(const ChallengeNoise& noise, std::int64_t gap) {
  return {.rate = noise.rate,
          .gap = gap,
          .targets = noise.limit,
          .stopper = noise.stopper_rate};
}

ChallengeNoise AtRate(ChallengeNoise noise, double rate) {
  noise.rate = rate;
  return noise;
}

bool MeetsByMoments(const ChallengeNoise& noise, const ChallengeTarget& target,
                    double delta) {
  const auto cost = PopDelta(MakeProcess(noise, target.gap), target.epsilon);
  return cost.has_value() && cost->delta <= delta;
}

// The Stopper of a given share, with the limit that serves target.reports
// (step 7), and no noise rate yet.
Result<ChallengeNoise> WithShare(const ChallengeTarget& target, double share) {
  SOTTO_TRY_ASSIGN(const auto rate,
                   SnapRate(std::max(kMinStopper, share * target.epsilon)));
  const std::int64_t slack =
      StopperEarlySlack(rate, target.rounds, target.failure);
  return ChallengeNoise{
      .stopper_rate = rate,
      .limit = target.reports - 1 + std::max<std::int64_t>(slack, 1)};
}

// The largest rate, to within kCoarse, if it is above `floor`; else `floor`.
double CoarseRate(const ChallengeNoise& noise, const ChallengeTarget& target,
                  double delta, double floor) {
  double low = floor;
  double high = kMaxRate;
  if (!MeetsByMoments(AtRate(noise, low * (1 + kCoarse)), target, delta)) {
    return floor;
  }
  double step = 4;  // Most often the answer is near the last one.
  while (low * step < kMaxRate &&
         MeetsByMoments(AtRate(noise, low * step), target, delta)) {
    low *= step;
  }
  high = std::min(high, low * step);
  while (high > low * (1 + kCoarse)) {
    const double middle = std::sqrt(low * high);
    (MeetsByMoments(AtRate(noise, middle), target, delta) ? low : high) =
        middle;
  }
  return low;
}

// Where the lattice is too large, the moments' rate stands.
double RefineExactly(const ChallengeNoise& noise, const ChallengeTarget& target,
                     double delta) {
  const double low = std::log(noise.rate);
  const auto found = LargestMeeting(
      {.low = low,
       .high = std::log(kMaxRate),
       .goal = 0,
       .slope = 2 - 2 * std::log(delta)},
      [&](double log_rate) -> Result<double> {
        SOTTO_TRY_ASSIGN(
            const auto cost,
            ExactPopDelta(
                MakeProcess(AtRate(noise, std::exp(log_rate)), target.gap),
                target.epsilon));
        return LogRatio(cost.delta, delta);
      });
  return found && *found > low ? std::exp(*found) : noise.rate;
}

Status Check(const ChallengeTarget& target) {
  if (Status status = CheckThresholdTest(target.epsilon, target.reports, 0);
      !status) {
    return status;
  }
  if (target.gap < 1 || target.gap > ChallengeTarget::kAboveThreshold) {
    return InvalidArgument(
        "between the thresholds there must be 1 to 2^40 integers");
  }
  if (target.rounds < 1 || !(target.failure > 0 && target.failure < 1)) {
    return InvalidArgument("rounds must be positive, failure in (0, 1)");
  }
  return Ok();
}

Result<ChallengeNoise> Calibrate(const ChallengeTarget& target) {
  SOTTO_TRY_ASSIGN(const auto delta,
                   WithoutSamplers({target.epsilon, target.delta}));
  ChallengeNoise best{.rate = kMinRate};
  for (const double share : kShares) {
    SOTTO_TRY_ASSIGN(const auto noise, WithShare(target, share));
    const double rate = CoarseRate(noise, target, delta, best.rate);
    if (rate > best.rate) best = AtRate(noise, rate);
  }
  if (best.limit == 0) {
    return NotConverged("no noise scale up to 2^30 meets the target");
  }
  for (const double rate : {RefineExactly(best, target, delta), best.rate}) {
    SOTTO_TRY_ASSIGN(const auto snapped, SnapRate(rate));
    const ChallengeNoise noise = AtRate(best, snapped);
    const auto met = ChallengeDelta(noise, target.gap, target.epsilon);
    if (met && *met <= target.delta) return noise;
  }
  return NotConverged("no rate could be certified");
}

}  // namespace

Result<double> ChallengeDelta(const ChallengeNoise& noise, std::int64_t gap,
                              double epsilon) {
  if (!(noise.stopper_rate <= kMaxThresholdEpsilon) || noise.limit < 1) {
    return InvalidArgument(
        "the Stopper's rate must be in [2^-20, 16], its limit at least 1");
  }
  SOTTO_TRY_ASSIGN(const auto moments,
                   PopDelta(MakeProcess(noise, gap), epsilon));
  double delta = moments.delta;
  const auto exact = ExactPopDelta(MakeProcess(noise, gap), epsilon);
  if (exact) delta = std::min(delta, exact->delta);
  return std::min(1.0, UpAdd(delta, SamplerSlack(epsilon)));
}

Result<ChosenChallengeNoise> ChooseChallengeNoise(
    const ChallengeNoise& by_hand, const ChallengeTarget& target) {
  SOTTO_TRY(Check(target));
  if (by_hand == ChallengeNoise{}) {
    SOTTO_TRY_ASSIGN(const auto noise, Calibrate(target));
    return ChosenChallengeNoise{noise, target.delta};
  }
  SOTTO_TRY_ASSIGN(const auto rate, SnapRate(by_hand.rate));
  SOTTO_TRY_ASSIGN(const auto stopper_rate, SnapRate(by_hand.stopper_rate));
  const ChallengeNoise noise{rate, stopper_rate, by_hand.limit};
  SOTTO_TRY_ASSIGN(const auto delta,
                   ChallengeDelta(noise, target.gap, target.epsilon));
  SOTTO_TRY_ASSIGN(const auto promised, PromisedDelta(delta, target.delta));
  return ChosenChallengeNoise{noise, promised};
}

Result<Guarantee> ChallengeGuarantee(double epsilon, double delta) {
  return Guarantee::Create(
      {.notion = Notion::kChallengeDp,
       .relation = Relation::kReplace,
       .epsilon = epsilon,
       .delta = delta,
       .protects = "one user: a round with any query, whose answer only the "
                   "user sees, and a record that moves every other query by "
                   "at most one"});
}

}  // namespace sotto
