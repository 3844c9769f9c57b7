#include "sotto/models/pop/pop_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/rounding.h"
#include "sotto/mechanisms/thresholds/stopper.h"
#include "sotto/models/pop/pop_bound.h"
#include "sotto/models/pop/pop_noise.h"
#include "sotto/models/pop/pop_search.h"

namespace sotto {
namespace {

constexpr double kComfortable = 0.02;
constexpr double kTight = 0.15;
constexpr int kMostPhases = 4;
constexpr int kSteps = 1500;
constexpr int kQuickSteps = 150;

// Returns true if every label arrives at once, as every mistake bound assumes.
bool LabelsAtOnce(const PopBehaviour& behaviour) {
  return behaviour.label_delay == 0 && behaviour.label_rate == 1 &&
         behaviour.noise == 0;
}

Status Check(const PopPlanRequest& request) {
  if (!(request.epsilon > 0 && request.epsilon <= 16)) {
    return InvalidArgument("epsilon must be in (0, 16]");
  }
  if (!(request.delta > 0 && request.delta < 1)) {
    return InvalidArgument("delta must be in (0, 1): POP has no pure form");
  }
  if (request.behaviour.rounds < 1) {
    return InvalidArgument("the horizon must be at least 1 round");
  }
  if (!(request.behaviour.complexity > 0)) {
    return InvalidArgument("the complexity must be positive");
  }
  if (!(request.behaviour.label_rate > 0 &&
        request.behaviour.label_rate <= 1)) {
    return InvalidArgument("the label rate must be in (0, 1]");
  }
  if (!(request.behaviour.noise >= 0 && request.behaviour.noise < 0.5)) {
    return InvalidArgument("the noise of labels must be in [0, 0.5)");
  }
  if (request.rounds_per_user < 1) {
    return InvalidArgument("rounds per user must be at least 1");
  }
  if (request.goal == PopGoal::kBound &&
      (!LabelsAtOnce(request.behaviour) || request.pin_users)) {
    return InvalidArgument(
        "no bound is proved for late, missing or wrong labels or pinned "
        "users: plan for the expected behaviour");
  }
  if (request.pin_users && request.handover == PhaseEnd::kStandby) {
    return InvalidArgument(
        "users can be pinned to a copy only without a standby "
        "(hand-over restart or halt)");
  }
  return Ok();
}

// Subject of the search and the noise: one round, or a pinned user.
struct Setting {
  PopSearch search;
  PopNoise noise;
};

Result<Setting> MakeSetting(const PopPlanRequest& request) {
  const std::uint64_t group = request.pin_users ? 1 : request.rounds_per_user;
  SOTTO_TRY_ASSIGN(auto each,
                   PerRoundTarget({request.epsilon, request.delta}, group));
  // Majority votes also pay for the majorities they show.
  const bool band = request.variant == PopVariant::kBand;
  if (!band) each.delta *= 0.98;
  PopSearch search{.variant = request.variant,
                   .handover = request.handover,
                   .mistakes = request.mistakes_per_phase,
                   .pin_users = request.pin_users,
                   .epsilon = each.epsilon,
                   .delta = each.delta,
                   .steady = request.steady,
                   .behaviour = request.behaviour};
  const PopSchedule bits{.mistakes = request.mistakes_per_phase};
  const std::uint64_t pinned = request.pin_users ? request.rounds_per_user : 1;
  return Setting{search, PopNoise(each, HiddenBits(bits, pinned), band)};
}

Result<PopSchedule> Finish(const PopShape& shape, const Setting& setting) {
  std::vector<double> scales;
  for (const PopShape::Phase& phase : shape.phases) {
    SOTTO_TRY_ASSIGN(const auto rate,
                     setting.noise.Largest(
                         std::max<std::int64_t>(1, std::llround(phase.reports)),
                         phase.band, 0, shape.stopper));
    scales.push_back(1 / rate);
  }
  PopSchedule schedule = MakeSchedule(shape, scales, setting.search);
  for (std::size_t i = 0; i < scales.size(); ++i) {
    // The rate itself, not the reciprocal of its reciprocal.
    while (1 / schedule.phases[i].rate < scales[i]) {
      schedule.phases[i].rate = StepDown(schedule.phases[i].rate);
    }
  }
  return schedule;
}

// Majority votes need enough copies that the majorities they show cost
// almost nothing.
void RaiseHalf(PopShape& shape, const PopSearch& search) {
  if (search.variant != PopVariant::kMajority) return;
  for (PopShape::Phase& phase : shape.phases) {
    const double shown = (1 + std::exp(search.epsilon)) *
                         (phase.reports + 2 / shape.stopper) /
                         (0.005 * search.delta);
    phase.half = std::max(phase.half, 2 * std::log(shown));
  }
}

// Adds the phase that repeats when the plan is over or was used up too soon.
// The length of such a phase is unknown, so both generations are taught all the
// time.
void AddTail(PopSchedule& schedule) {
  PopPhase tail = schedule.phases.back();
  tail.solo = 0;
  tail.active_share = PopPhase::kAllExamples / 2;
  schedule.phases.push_back(tail);
}

Result<PopSchedule> PlanExpected(Setting& setting, const PopModel& model,
                                 int steps) {
  const bool phased = setting.search.handover == PhaseEnd::kStandby &&
                      setting.search.variant == PopVariant::kBand;
  PopSearchResult best{.cost = 1e300};
  for (int phases = 1; phases <= (phased ? kMostPhases : 1); ++phases) {
    PopSearchResult found =
        SearchShape(setting.search, model, setting.noise, phases, steps);
    if (found.cost < best.cost) best = std::move(found);
  }
  RaiseHalf(best.shape, setting.search);
  auto schedule = Finish(best.shape, setting);
  if (schedule && phased && !setting.search.steady) AddTail(*schedule);
  return schedule;
}

// One phase whose Stopper provably stays silent: noise, reports and copies
// depend on each other, so they are found by repetition.
std::optional<PopShape> BoundShape(Setting& setting, double half, double band,
                                   double share, double d) {
  const PopSearch& search = setting.search;
  PopShape shape{.stopper = share * search.epsilon,
                 .phases = {{.half = half,
                             .reports = 1000,
                             .band = band,
                             .share = 1,
                             .solo = 1}}};
  const double failure = 0.05 / 3;
  const std::int64_t slack =
      StopperEarlySlack(shape.stopper, search.behaviour.rounds, failure);
  for (int i = 0; i < 10; ++i) {
    PopShape::Phase& phase = shape.phases[0];
    const double scale =
        setting.noise.About(phase.reports, band, shape.stopper);
    if (!(half * scale < 1 << 16)) return std::nullopt;
    const PopSchedule schedule = MakeSchedule(shape, {scale}, search);
    const auto paid = PopPhaseEvents(
        schedule.phases[0], PopEvent::kPaid, 1,
        {.rounds = search.behaviour.rounds, .mistakes = d, .failure = failure});
    if (!paid || *paid > 1e9) return std::nullopt;
    // A tenth more than needed: the noise here is only about right.
    const double reports = 1.1 * *paid + static_cast<double>(slack) + 2;
    if (std::abs(reports - phase.reports) < 0.01 * reports) return shape;
    phase.reports = reports;
  }
  return std::nullopt;
}

Result<PopSchedule> PlanBound(Setting& setting, double d) {
  std::optional<PopShape> best;
  double least = static_cast<double>(setting.search.behaviour.rounds);
  for (const double half : {3.0, 4.5, 6.0, 8.0, 10.0}) {
    for (const double band : {0.25, 0.5, 1.0}) {
      const auto shape = BoundShape(setting, half, band, 0.08, d);
      if (!shape) continue;
      const double scale =
          setting.noise.About(shape->phases[0].reports, band, shape->stopper);
      PopSchedule schedule = MakeSchedule(*shape, {scale}, setting.search);
      schedule.phases[0].active_share = PopPhase::kAllExamples;
      const auto mistakes = PopMistakes(
          schedule, {.rounds = setting.search.behaviour.rounds, .mistakes = d});
      if (mistakes && *mistakes < least) {
        least = *mistakes;
        best = shape;
      }
    }
  }
  if (!best) {
    return NotConverged(
        "no bound below the number of rounds is proved for a mistake "
        "bound of " +
        TextUp(d) + ": plan for the expected behaviour instead");
  }
  auto schedule = Finish(*best, setting);
  if (schedule) schedule->phases[0].active_share = PopPhase::kAllExamples;
  return schedule;
}

Result<PopSchedule> PlanByHand(const PopOverrides& hand, Setting& setting) {
  PopShape shape{
      .stopper = hand.stopper.value_or(0.15 * setting.search.epsilon),
      .phases = {{.share = hand.active_share.value_or(0.5)}}};
  PopShape::Phase& phase = shape.phases[0];
  if (hand.reports) phase.reports = static_cast<double>(*hand.reports);
  if (setting.search.variant == PopVariant::kMajority) phase.half = 40;
  RaiseHalf(shape, setting.search);
  double rate = hand.noise_scale ? 1 / *hand.noise_scale : 0;
  if (!hand.noise_scale) {
    SOTTO_TRY_ASSIGN(const auto largest,
                     setting.noise.Largest(
                         std::max<std::int64_t>(1, std::llround(phase.reports)),
                         phase.band, hand.gap.value_or(0), shape.stopper));
    rate = largest;
  }
  if (!(rate > 0 && std::isfinite(rate))) {
    return InvalidArgument("the noise scale must be positive");
  }
  PopSchedule schedule = MakeSchedule(shape, {1 / rate}, setting.search);
  schedule.phases[0].rate = rate;
  schedule.phases[0].solo = 0;
  if (hand.gap) schedule.phases[0].gap = *hand.gap;
  if (hand.copies) schedule.phases[0].copies = *hand.copies;
  return schedule;
}

// Sets the mistakes that learning costs in each phase of the plan, half as much
// again because runs differ. A phase that the plan does not reach gets the
// maximum. Wrong labels are added on top, round by round.
void AllowMistakes(PopSchedule& schedule, const PopModel& model,
                   const PopBehaviour& behaviour) {
  constexpr double kSpread = 1.5;
  PopBehaviour clean = behaviour;
  clean.noise = 0;
  const auto phases = model.Expect(schedule, clean).phases;
  double most = 0;
  for (const auto& phase : phases) most = std::max(most, phase.mistakes);
  for (std::size_t i = 0; i < schedule.phases.size(); ++i) {
    const double mistakes = i < phases.size() ? phases[i].mistakes : most;
    schedule.phases[i].allowed = static_cast<std::int64_t>(
        std::min(0x1p31, std::ceil(kSpread * behaviour.label_rate * mistakes)));
  }
  schedule.tolerated = static_cast<std::uint32_t>(std::ceil(
      behaviour.noise * behaviour.label_rate * PopPhase::kAllExamples));
}

Verdict ChooseVerdict(double mistakes, double rounds) {
  return VerdictBelow(mistakes, kComfortable * rounds, kTight * rounds);
}

// Returns the smallest tried multiples of the horizon and of epsilon that would
// be comfortable.
std::vector<std::string> Advise(const PopPlanRequest& request,
                                const PopModel& model) {
  std::vector<std::string> advice;
  const auto comfortable = [&](const PopPlanRequest& other) {
    auto setting = MakeSetting(other);
    if (!setting) return false;
    const PopSearchResult found =
        SearchShape(setting->search, model, setting->noise, 1, kQuickSteps);
    return ChooseVerdict(found.cost,
                         static_cast<double>(other.behaviour.rounds)) ==
           Verdict::kComfortable;
  };
  for (std::uint64_t times = 4; times <= 256; times *= 8) {
    PopPlanRequest other = request;
    other.behaviour.rounds *= times;
    if (!comfortable(other)) continue;
    advice.push_back("comfortable with a horizon of about " +
                     std::to_string(other.behaviour.rounds) + " rounds");
    break;
  }
  for (const double times : {2.0, 6.0}) {
    PopPlanRequest other = request;
    other.epsilon *= times;
    if (other.epsilon > 16 || !comfortable(other)) continue;
    advice.push_back("comfortable with epsilon " + TextUp(other.epsilon));
    break;
  }
  if (advice.empty()) {
    advice.emplace_back(
        "neither 256 times the rounds nor 6 times the epsilon would make "
        "this comfortable: a learner that needs fewer examples might");
  }
  return advice;
}

}  // namespace

Result<PopPlan> PlanPop(const PopPlanRequest& request) {
  SOTTO_TRY(Check(request));
  SOTTO_TRY_ASSIGN(auto setting, MakeSetting(request));
  const PopModel model(request.variant, request.behaviour.noise);
  Result<PopSchedule> schedule =
      InvalidArgument("planning for a bound needs a mistake bound");
  if (request.by_hand.any()) {
    schedule = PlanByHand(request.by_hand, setting);
  } else if (request.goal == PopGoal::kExpected) {
    schedule = PlanExpected(setting, model, kSteps);
  } else if (request.mistake_bound) {
    schedule = PlanBound(setting, *request.mistake_bound);
  }
  if (!schedule) return schedule.error();
  if (request.mistakes_per_phase > 0) {
    AllowMistakes(*schedule, model, request.behaviour);
  }
  SOTTO_TRY_ASSIGN(auto guarantee,
                   PopGuarantee(*schedule, {request.epsilon, request.delta},
                                request.rounds_per_user));
  PopPlan plan{.schedule = *std::move(schedule),
               .guarantee = std::move(guarantee)};
  plan.expected = model.Expect(plan.schedule, request.behaviour);
  if (request.mistake_bound && LabelsAtOnce(request.behaviour)) {
    plan.mistakes_bound =
        PopMistakes(plan.schedule, {.rounds = request.behaviour.rounds,
                                    .mistakes = *request.mistake_bound});
  }
  const auto rounds = static_cast<double>(request.behaviour.rounds);
  plan.verdict = ChooseVerdict(plan.expected.mistakes, rounds);
  if (request.advise && plan.verdict != Verdict::kComfortable) {
    plan.advice = Advise(request, model);
  }
  return plan;
}

}  // namespace sotto
