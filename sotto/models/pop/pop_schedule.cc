#include "sotto/models/pop/pop_schedule.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/pop_accountant.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"
#include "sotto/mechanisms/thresholds/challenge_between_thresholds_calibration.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"

namespace sotto {
namespace {

constexpr std::int64_t kMaxCopies = (std::int64_t{1} << 31) - 1;
constexpr double kLibm = 0x1p-48;
constexpr std::size_t kMaxPhases = 1024;

Error In(std::size_t phase, const std::string& what) {
  return InvalidArgument("phase " + std::to_string(phase + 1) + ": " + what);
}

Status ValidatePhase(const PopSchedule& schedule, std::size_t index) {
  const PopPhase& phase = schedule.phases[index];
  if (phase.copies < 1 || phase.copies > kMaxCopies) {
    return In(index, "there must be 1 to 2^31 - 1 copies");
  }
  if (!(phase.rate >= 0x1p-30 && phase.rate <= 64)) {
    return In(index, "the noise scale must be in [1/64, 2^30]");
  }
  if (phase.reports < 1 || phase.reports > kMaxReports) {
    return In(index, "reports must be in [1, 2^32]");
  }
  if (phase.active_share > PopPhase::kAllExamples) {
    return In(index, "the active share must be at most 65,536 of 65,536");
  }
  if (phase.allowed < 0 || phase.allowed > kMaxReports) {
    return In(index, "mistakes allowed must be in [0, 2^32]");
  }
  if (schedule.variant == PopVariant::kMajority) {
    if (phase.copies % 4 == 0) return Ok();
    return In(index, "majority votes need a multiple of 4 copies");
  }
  if (phase.gap < 1 || phase.gap > ChallengeTarget::kAboveThreshold) {
    return In(index, "the band must hold 1 to 2^40 integers");
  }
  return Ok();
}

// The exact accountant is asked only where the moments do not show `enough`,
// and its lattice is affordable.
Result<double> PhaseDelta(const PopSchedule& schedule, const PopPhase& phase,
                          double epsilon, std::int64_t hidden_bits,
                          double enough) {
  constexpr std::int64_t kMaxExactReports = 20'000;
  const bool majority = schedule.variant == PopVariant::kMajority;
  const PopProcess process{
      .rate = phase.rate,
      .gap = majority ? ChallengeTarget::kAboveThreshold : phase.gap,
      .targets = phase.reports,
      .stopper = schedule.stopper,
      .rounds_per_user = hidden_bits};
  SOTTO_TRY_ASSIGN(const auto moments, PopDelta(process, epsilon));
  double rest = SamplerSlack(epsilon);
  if (majority) {
    const double paid = static_cast<double>(phase.reports) + 1 +
                        1 / std::expm1(schedule.stopper);
    rest = UpAdd(rest, MajorityCost(phase.copies, phase.rate,
                                    InflateUp(paid, kLibm), epsilon));
  }
  double delta = UpAdd(moments.delta, rest);
  if (delta > enough && phase.reports <= kMaxExactReports) {
    const auto exact = ExactPopDelta(process, epsilon);
    if (exact) delta = std::min(delta, UpAdd(exact->delta, rest));
  }
  return std::min(1.0, delta);
}

// A round, or with pinned users a user, touches one phase: its votes and its
// Stopper, composed by the accountant.
Spend PhaseCosts(const PopSchedule& schedule, const ApproximateDp& one) {
  std::set<double> rates;
  for (const PopPhase& phase : schedule.phases) rates.insert(phase.rate);
  std::vector<Spend> parts;
  for (const double rate : rates) {
    parts.push_back(PurePart("votes", SamplerKind::kLaplace, rate, 1));
  }
  parts.push_back(
      PurePart("stopper", SamplerKind::kGeometric, schedule.stopper, 1));
  return ComposeParts("phase", one, std::move(parts));
}

}  // namespace

double MajorityCost(std::int64_t copies, double rate, double paid,
                    double epsilon) {
  const auto quarter = static_cast<double>(copies / 4);
  const double miss = std::exp(-DownMul(rate, quarter));
  const double shown = paid * miss / (1 - std::min(miss, 0.5));
  return InflateUp((1 + std::exp(epsilon)) * shown, kLibm);
}

std::int64_t HiddenBits(const PopSchedule& schedule, std::uint64_t rounds) {
  return static_cast<std::int64_t>(rounds) * (schedule.mistakes > 0 ? 3 : 1);
}

PopBand ComputeBand(const PopPhase& phase) {
  const std::int64_t twice_low = phase.copies - phase.gap - 1;
  const std::int64_t low = (twice_low - (twice_low & 1)) / 2;
  return {low, low + phase.gap + 1};
}

Status Validate(const PopSchedule& schedule) {
  if (schedule.phases.empty() || schedule.phases.size() > kMaxPhases) {
    return InvalidArgument("a schedule has 1 to 1,024 phases");
  }
  if (!(schedule.stopper >= 0x1p-20 &&
        schedule.stopper <= kMaxThresholdEpsilon)) {
    return InvalidArgument("the Stopper's epsilon must be in [2^-20, 16]");
  }
  if (schedule.mistakes < 0 || schedule.mistakes > kMaxReports) {
    return InvalidArgument("mistakes per phase must be in [0, 2^32]");
  }
  if (schedule.tolerated > PopPhase::kAllExamples) {
    return InvalidArgument("more mistakes than rounds are tolerated");
  }
  if (schedule.pin_users && schedule.handover == PhaseEnd::kStandby) {
    return InvalidArgument(
        "users can be pinned to a copy only without a standby: with one, a "
        "user's rounds would touch two generations");
  }
  for (std::size_t i = 0; i < schedule.phases.size(); ++i) {
    SOTTO_TRY(ValidatePhase(schedule, i));
  }
  return Ok();
}

Result<double> PopScheduleDelta(const PopSchedule& schedule, double epsilon,
                                std::uint64_t rounds_per_user, double enough) {
  SOTTO_TRY(Validate(schedule));
  if (!(epsilon > 0 && epsilon <= kMaxThresholdEpsilon)) {
    return InvalidArgument("epsilon must be in (0, 16]");
  }
  if (rounds_per_user < 1 || rounds_per_user > 65536) {
    return InvalidArgument("rounds per user must be in [1, 65536]");
  }
  const std::int64_t bits =
      HiddenBits(schedule, schedule.pin_users ? rounds_per_user : 1);
  double worst = 0;
  for (std::size_t i = 0; i < schedule.phases.size(); ++i) {
    const auto delta =
        PhaseDelta(schedule, schedule.phases[i], epsilon, bits, enough);
    if (!delta) return In(i, delta.error().message);
    worst = std::max(worst, *delta);
  }
  return worst;
}

Result<Guarantee> PopGuarantee(const PopSchedule& schedule,
                               const ApproximateDp& target,
                               std::uint64_t rounds_per_user) {
  const bool by_group = rounds_per_user > 1 && !schedule.pin_users;
  SOTTO_TRY_ASSIGN(const auto each,
                   PerRoundTarget(target, by_group ? rounds_per_user : 1));
  SOTTO_TRY_ASSIGN(
      const auto delta,
      PopScheduleDelta(schedule, each.epsilon, rounds_per_user, each.delta));
  const ApproximateDp one{each.epsilon, delta};
  const double user_delta =
      by_group ? ForGroup(one, rounds_per_user).delta : delta;
  if (!(user_delta < 1)) {
    return BudgetExhausted(
        "no delta below 1 is proved at this epsilon: more noise, "
        "fewer reports or a smaller Stopper share are needed");
  }
  if (target.delta > 0 && user_delta > target.delta) {
    return BudgetExhausted(
        "these parameters cost delta = " + TextUp(user_delta) +
        ", more than the " + TextUp(target.delta) +
        " asked for: more noise, fewer reports or a smaller "
        "Stopper share are needed");
  }
  return MakeGuarantee({.notion = Notion::kChallengeDp,
                        .relation = Relation::kReplace,
                        .rounds_per_user = rounds_per_user,
                        .protects = "a user's features and label",
                        .spend = ForSteps(PhaseCosts(schedule, one),
                                          by_group ? rounds_per_user : 1)},
                       target);
}

void Save(const PopSchedule& schedule, ByteWriter& writer) {
  writer.Number(static_cast<std::uint8_t>(schedule.variant));
  writer.Number(static_cast<std::uint8_t>(schedule.handover));
  writer.Real(schedule.stopper);
  writer.Number(schedule.mistakes);
  writer.Number(schedule.tolerated);
  writer.Number(static_cast<std::uint8_t>(schedule.pin_users ? 1 : 0));
  writer.Number(static_cast<std::uint32_t>(schedule.phases.size()));
  for (const PopPhase& phase : schedule.phases) {
    writer.Number(phase.copies);
    writer.Real(phase.rate);
    writer.Number(phase.gap);
    writer.Number(phase.reports);
    writer.Number(phase.rounds);
    writer.Number(phase.solo);
    writer.Number(phase.active_share);
    writer.Number(phase.allowed);
  }
}

Result<PopSchedule> LoadPopSchedule(ByteReader& reader) {
  PopSchedule schedule;
  const auto variant = reader.Number<std::uint8_t>();
  const auto handover = reader.Number<std::uint8_t>();
  schedule.variant = static_cast<PopVariant>(variant);
  schedule.handover = static_cast<PhaseEnd>(handover);
  schedule.stopper = reader.Real();
  schedule.mistakes = reader.Number<std::int64_t>();
  schedule.tolerated = reader.Number<std::uint32_t>();
  schedule.pin_users = reader.Number<std::uint8_t>() != 0;
  const auto phases = reader.Number<std::uint32_t>();
  for (std::uint32_t i = 0; i < phases && !reader.failed(); ++i) {
    PopPhase& phase = schedule.phases.emplace_back();
    phase.copies = reader.Number<std::int64_t>();
    phase.rate = reader.Real();
    phase.gap = reader.Number<std::int64_t>();
    phase.reports = reader.Number<std::int64_t>();
    phase.rounds = reader.Number<std::uint64_t>();
    phase.solo = reader.Number<std::uint64_t>();
    phase.active_share = reader.Number<std::uint32_t>();
    phase.allowed = reader.Number<std::int64_t>();
  }
  const Status valid = Validate(schedule);
  if (reader.failed() || variant > 1 || handover > 2 || !valid) {
    return Corruption("the saved schedule makes no sense");
  }
  return schedule;
}

}  // namespace sotto
