#include "sotto/models/pop/paper_pop_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/pop_accountant.h"
#include "sotto/accounting/rounding.h"
#include "sotto/base/number_text.h"
#include "sotto/mechanisms/counters/tree_counter_bound.h"

namespace sotto {
namespace {

using Noise = CounterAboveThreshold::Noise;
using TestParams = CounterAboveThreshold::Params;

// Share of delta for the tests; the rest is for the majorities that are shown.
constexpr double kTestShare = 0.75;
constexpr double kMostRounds = 0x1p31;  // of a counter
constexpr double kMostNumber = 0x1p60;

Status Check(const PaperPopRequest& request) {
  if (!(request.epsilon > 0 && request.epsilon <= 16)) {
    return InvalidArgument("epsilon must be in (0, 16]");
  }
  if (!(request.delta > 0 && request.delta < 1)) {
    return InvalidArgument("delta must be in (0, 1): POP has no pure form");
  }
  const auto rounds = static_cast<double>(request.behaviour.rounds);
  if (!(rounds >= 1 && rounds <= kMostRounds)) {
    return InvalidArgument(
        "--variant paper needs a horizon of 1 to 2^31 rounds: its counter is "
        "made for that many, and it halts with the last");
  }
  if (request.printed && !request.mistake_bound) {
    return InvalidArgument(
        "the printed numbers need the mistakes of one copy: --mistake-bound D");
  }
  if (request.noise_scale && !(*request.noise_scale > 0)) {
    return InvalidArgument("the noise scale must be positive");
  }
  if (request.agnostic > static_cast<std::uint64_t>(kMaxReports)) {
    return InvalidArgument("mistakes of a phase must be at most 2^32");
  }
  return Ok();
}

class Planner {
 public:
  Planner(const PaperPopRequest& request, const ApproximateDp& each)
      : request_(request),
        each_(each),
        model_(PopVariant::kMajority, request.behaviour.noise) {
    rounds_ = static_cast<double>(request.behaviour.rounds);
  }

  Result<PaperPopPlan> Run() {
    SOTTO_TRY(ChooseRadices());
    SOTTO_TRY(ChooseMistakes());
    if (request_.reports) {
      SOTTO_TRY(Take(*request_.reports));
    } else if (request_.printed) {
      SOTTO_TRY(Printed());
    } else {
      SOTTO_TRY(Least());
    }
    if (request_.printed && agnostic()) {
      plan_.params.mistakes = plan_.params.reports + plan_.params.reports / 2;
    }
    Judge();
    return std::move(plan_);
  }

 private:
  bool agnostic() const { return request_.agnostic > 0; }

  // The best radices hardly depend on epsilon.
  Status ChooseRadices() {
    auto& params = plan_.params;
    params = {.epsilon = request_.epsilon,
              .delta = request_.delta,
              .rounds_per_user = request_.rounds_per_user,
              .horizon = request_.behaviour.rounds};
    if (!request_.best_counter) return Ok();
    SOTTO_TRY_ASSIGN(auto shape,
                     TreeShape::Best({.epsilon = 0.05 * each_.epsilon,
                                      .horizon = params.horizon,
                                      .failure = TestDelta() / 4}));
    params.radices = std::move(shape.radices);
    return Ok();
  }

  // With probability 95 % the counter of mistakes is never off by more.
  Result<double> MistakeError(double epsilon) const {
    return CounterAboveThreshold::CounterError(
        Test(1), {.counter_epsilon = epsilon}, kPaperPopFailure);
  }

  // Definition F.2 with w = 2u: between 2/3 and 4/3 of the mistakes at which
  // the counter speaks. Printed: a quarter of epsilon, which a mistake that
  // moves pays twice. Least: the smallest epsilon that is off by a third.
  Status ChooseMistakes() {
    if (!agnostic()) return Ok();
    auto& params = plan_.params;
    params.mistakes = static_cast<std::int64_t>(request_.agnostic);
    double low = 0;
    double high = each_.epsilon / 4;
    SOTTO_TRY_ASSIGN(const auto least, MistakeError(high));
    const double most = static_cast<double>(params.mistakes) / 3;
    if (!request_.printed && least > most) {
      return InvalidArgument(
          "--agnostic: a private counter of mistakes errs by " +
          WholeWithCommas(least) +
          " with a quarter of epsilon, so a phase "
          "must last for " +
          WholeWithCommas(std::ceil(3 * least)) + " mistakes or more");
    }
    for (int i = 0; i < 30 && !request_.printed; ++i) {
      const double middle = (low + high) / 2;
      const auto error = MistakeError(middle);
      (error && *error <= most ? high : low) = middle;
    }
    params.mistake_epsilon = high;
    SOTTO_TRY_ASSIGN(plan_.mistake_error, MistakeError(high));
    return Ok();
  }

  // The printed shares leave a quarter of delta by themselves.
  double TestDelta() const {
    return request_.printed ? each_.delta : kTestShare * each_.delta;
  }
  TestParams Test(std::int64_t reports) const {
    return {.epsilon = each_.epsilon,
            .delta = TestDelta(),
            .reports = reports,
            .horizon = plan_.params.horizon,
            .printed = request_.printed,
            .constant = request_.constant,
            .radices = plan_.params.radices,
            .beside = 2 * plan_.params.mistake_epsilon};
  }

  // Noise and copies for this many reports.
  Status Take(std::int64_t reports) {
    const TestParams test = Test(reports);
    SOTTO_TRY_ASSIGN(plan_.params.noise,
                     CounterAboveThreshold::ChooseNoise(test));
    if (request_.noise_scale)
      plan_.params.noise.rate = 1 / *request_.noise_scale;
    SOTTO_TRY_ASSIGN(plan_.counter_error,
                     CounterAboveThreshold::CounterError(
                         test, plan_.params.noise, kPaperPopFailure));
    plan_.params.reports = reports;
    plan_.params.copies = request_.copies.value_or(
        request_.printed
            ? PrintedCopies()
            : LeastCopies(plan_.params.noise, reports, each_.epsilon,
                          (1 - kTestShare) * each_.delta));
    return Ok();
  }

  // A margin of k/20 that the noise stays within: k/20 >= gamma ln(T/beta).
  std::int64_t PrintedCopies() const {
    const double copies =
        20 / plan_.params.noise.rate * std::log(rounds_ / kPaperPopFailure);
    return 4 * std::llround(std::ceil(std::min(copies, kMostNumber) / 4));
  }

  // d; in the agnostic form copies make d ln T mistakes (Lemma F.3).
  double MistakesOfCopy() const {
    const double d = *request_.mistake_bound;
    return agnostic() ? d * std::log(std::max(rounds_, 3.0)) : d;
  }

  // r = 18dk + 18 + 6 ln(1/beta) + lambda, and k follows from r. A phase of the
  // agnostic form ends between u = r and w = 2u mistakes.
  Status Printed() {
    double reports = 1000;
    for (int i = 0; i < 200; ++i) {
      SOTTO_TRY(Take(std::llround(std::ceil(reports))));
      const double needed =
          18 * MistakesOfCopy() * static_cast<double>(plan_.params.copies) +
          18 - 6 * std::log(kPaperPopFailure) +
          static_cast<double>(plan_.params.noise.late);
      if (!(needed < kMostNumber)) {
        return InvalidArgument("the printed numbers exceed 2^60");
      }
      if (std::abs(needed - reports) < 1e-6 * needed) break;
      reports = needed;
    }
    return Ok();
  }

  // Just enough reports for all rounds, by the model, and a tenth more: each
  // more costs noise, and so copies that have to be taught.
  Status Least() {
    double reports = std::max(10.0, 0.1 * rounds_);
    for (int i = 0; i < 12; ++i) {
      SOTTO_TRY(Take(std::llround(reports)));
      const double paid = model_.Expect(Schedule(false), Behaviour()).paid;
      const double needed =
          std::ceil(std::min(1.1 * paid + 1.5 * std::sqrt(paid), rounds_) +
                    plan_.counter_error + 10);
      const bool settled = std::abs(needed - reports) < 0.02 * needed;
      reports = needed;
      if (settled) break;
    }
    return Take(std::llround(reports));
  }

  // As the model knows it: a Stopper with errors like the counter's.
  PopSchedule Schedule(bool halts) const {
    const auto& params = plan_.params;
    return {.variant = PopVariant::kMajority,
            .handover = agnostic() ? PhaseEnd::kRestart : PhaseEnd::kHalt,
            .stopper = std::log(std::max(2.0, rounds_) / 0.7) /
                       std::max(1.0, plan_.counter_error),
            .phases = {
                {.copies = params.copies,
                 .rate = params.noise.rate,
                 .gap = 1,
                 .reports = halts ? params.reports
                                  : std::numeric_limits<std::int64_t>::max()}}};
  }
  const PopBehaviour& Behaviour() const { return request_.behaviour; }

  void Judge() {
    plan_.expected = model_.Expect(Schedule(true), Behaviour());
    const PopExpectation lasts = model_.Expect(Schedule(false), Behaviour());
    if (!agnostic() && plan_.expected.paid < 0.999 * lasts.paid) {
      // Mistakes of a halted procedure: half of what is left.
      const double more =
          plan_.expected.mistakes - plan_.expected.phases.back().mistakes;
      plan_.halts = std::max(0.0, rounds_ - 2 * more);
    }
    const auto& noise = plan_.params.noise;
    const auto delta = CounterPopDelta(
        {.rate = noise.rate,
         .targets = plan_.params.reports,
         .counter = noise.counter_epsilon + 2 * plan_.params.mistake_epsilon,
         .late = noise.late,
         .failure = noise.counter_failure},
        each_.epsilon);
    if (delta) {
      plan_.delta =
          UpAdd(*delta, MajorityCost(plan_.params.copies, noise.rate,
                                     static_cast<double>(plan_.params.reports +
                                                         noise.late + 1),
                                     each_.epsilon));
    }
  }

  const PaperPopRequest& request_;
  ApproximateDp each_;
  PopModel model_;
  double rounds_ = 0;
  PaperPopPlan plan_;
};

}  // namespace

Result<PaperPopPlan> PlanPaperPop(const PaperPopRequest& request) {
  SOTTO_TRY(Check(request));
  SOTTO_TRY_ASSIGN(const auto each,
                   PerRoundTarget({request.epsilon, request.delta},
                                  request.rounds_per_user));
  return Planner(request, each).Run();
}

Status CheckFits(const PaperPopPlan& plan) {
  const auto& params = plan.params;
  if (params.copies >= 4 &&
      params.copies <= CounterOnlineProcedure::kMaxCopies &&
      params.reports <= kMaxReports && params.mistakes <= kMaxReports) {
    return Ok();
  }
  return InvalidArgument(
      "these numbers do not fit, as an ensemble holds up to 2^31 - 1 copies "
      "and "
      "a test makes up to 2^32 reports");
}

}  // namespace sotto
