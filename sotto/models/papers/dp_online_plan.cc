#include "sotto/models/papers/dp_online_plan.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/rounding.h"
#include "sotto/learners/classes/dimension_search.h"
#include "sotto/learners/classes/paper_learners.h"

namespace sotto {
namespace {

using Params = DpOnlineLearner::Params;

constexpr double kUsualHorizon = 1e6;
constexpr double kMostEpsilon = 16;
constexpr double kFailure = 0.05;
constexpr double kStopperShare = 0.2;     // of epsilon
constexpr double kAgreementShare = 0.25;  // of what is left, as zCDP

// The rates at which everything together costs about rho-zCDP.
void SetRates(double rho, Params& params) {
  const auto stages = static_cast<double>(params.stages);
  const auto draws = static_cast<double>(params.votes * params.calls);
  params.agreement =
      std::clamp(std::sqrt(kAgreementShare * rho / stages), 0x1p-29, 64.0);
  params.sample_rate = std::sqrt(2 * (1 - kAgreementShare) * rho / draws);
}

Status FitToBudget(const ApproximateDp& each, Params& params) {
  const auto draws = static_cast<double>(params.votes * params.calls);
  params.sample_delta = each.delta / (4 * draws * (1 + std::exp(each.epsilon)));
  double low = 0;
  double high = 64;
  for (int i = 0; i < 40; ++i) {
    const double middle = low == 0 ? high / 4 : (low + high) / 2;
    SetRates(middle, params);
    (DpOnlineDelta(params, each.epsilon) <= each.delta ? low : high) = middle;
  }
  SetRates(low, params);
  if (low > 0 && DpOnlineDelta(params, each.epsilon) <= each.delta) return Ok();
  return NotConverged(
      "no noise keeps to epsilon and delta: delta must be positive, "
      "and fewer changes or votes help");
}

// Four fifths of them are enough for a draw of a function, noise included.
Result<double> TeachersFor(const Params& params) {
  constexpr std::size_t kMany = 64;  // only for the sampler's slack
  SOTTO_TRY_ASSIGN(const auto sample,
                   SparseSample::Create({.epsilon = 2 * params.sample_rate,
                                         .delta = params.sample_delta,
                                         .list_size = params.list_size,
                                         .max_lists = kMany,
                                         .relation = Relation::kReplace}));
  const double tests = static_cast<double>(params.calls + params.stages);
  const double noise = std::log(tests / kFailure) / params.agreement;
  const auto needed = static_cast<double>(sample.ScoreFor(0.01)) + noise;
  return std::ceil(std::max(1.25 * needed, 5 * noise));
}

// Sets the paper's other parameters for the given number of teachers.
Status SetTeachers(const DpOnlineOptions& options, const PaperOnline& paper,
                   Params& params) {
  SOTTO_TRY_ASSIGN(const auto needed, TeachersFor(params));
  double teachers = std::max(needed, std::ceil(paper.teachers));
  if (options.teachers) teachers = static_cast<double>(*options.teachers);
  const double limit = options.limit
                           ? static_cast<double>(*options.limit)
                           : std::ceil(teachers * paper.mistakes /
                                       (paper.calls * paper.teachers));
  params.teachers = static_cast<std::uint64_t>(std::min(teachers, 0x1p60));
  params.limit = static_cast<std::int64_t>(std::min(limit, 0x1p60));
  params.threshold =
      static_cast<std::int64_t>(std::ceil(0.8 * std::min(teachers, 0x1p60)));
  return Ok();
}

}  // namespace

std::uint64_t VotesFor(Adversary adversary, double rounds, double points,
                       double calls) {
  const double everywhere = points * (calls + 1);
  const double places = adversary == Adversary::kOblivious
                            ? std::min(rounds, everywhere)
                            : everywhere;
  // Hoeffding: 2 e^(-r / 18) at each.
  return static_cast<std::uint64_t>(
      std::ceil(18 * std::log(2 * std::max(places, 1.0) / kFailure)));
}

Result<Params> ChooseDpOnline(const DpOnlineOptions& options) {
  SOTTO_TRY_ASSIGN(const auto each,
                   PerRoundTarget(options.user, options.rounds_per_user));
  if (each.epsilon > kMostEpsilon) {
    return InvalidArgument("DP-OL takes an epsilon of at most 16");
  }
  const FiniteClass& functions = *options.functions;
  const DimensionBounds bounds = QuickDimension(functions);
  const double rounds = options.horizon == 0
                            ? kUsualHorizon
                            : static_cast<double>(options.horizon);
  const PaperOnline paper =
      PaperOnlineFor(bounds.hi, rounds, each.epsilon, each.delta);
  Params params{.functions = options.functions,
                .user = options.user,
                .relation = options.relation,
                .rounds_per_user = options.rounds_per_user,
                .delay = options.delay,
                .dimension = bounds.hi,
                .period = options.period.value_or(1),
                .streams = options.adversary};
  params.stages = options.stages.value_or(
      static_cast<std::uint64_t>(std::max(bounds.hi, 1)) + 1);
  params.calls = options.calls.value_or(
      static_cast<std::uint64_t>(std::ceil(paper.calls)));
  params.votes = options.votes.value_or(VotesFor(
      options.adversary, rounds, static_cast<double>(functions.points()),
      static_cast<double>(params.calls)));
  params.stopper =
      options.stopper.value_or(DownMul(each.epsilon, kStopperShare));
  // Fact 4 needs p to be at least the mistakes of a teacher at a
  // call.
  const double share = paper.mistakes / (paper.calls * paper.teachers);
  params.p = options.p.value_or(static_cast<std::uint64_t>(
      std::clamp(std::ceil(1.5 * share), 1.0, 0x1p20)));
  params.form = options.form
                    ? TeacherLists::FormFor(functions, params.p, *options.form)
                    : TeacherLists::FormFor(functions, params.p);
  params.list_size = options.list_size.value_or(TeacherLists::MostItems(
      functions, params.dimension,
      std::min(params.p << params.stages, TeacherLists::kMaxP)));
  SOTTO_TRY(FitToBudget(each, params));
  if (Status set = SetTeachers(options, paper, params); !set)
    return set.error();
  return params;
}

bool TeachersSuffice(const Params& params) {
  const auto needed = TeachersFor(params);
  return needed && static_cast<double>(params.teachers) >= *needed;
}

double DpOnlineMistakes(const Params& params) {
  return static_cast<double>(params.limit) * static_cast<double>(params.calls);
}

}  // namespace sotto
