#include "sotto/models/papers/dp_online_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/rounding.h"
#include "sotto/learners/classes/dimension_search.h"

namespace sotto {
namespace {

using Params = DpOnlineLearner::Params;

constexpr double kUsualHorizon = 1e6;
constexpr double kMostEpsilon = 16;
constexpr double kFailure = 0.05;
constexpr double kLeastRate = 0x1p-29;
constexpr double kMostRate = 7.9;  // of a draw
constexpr std::uint64_t kLeastCalls = 4;
// Least numbers, as shares of epsilon. The test of mistakes is off by an eighth
// of the limit, or less.
constexpr double kMistakeShare = 0.02;
constexpr std::array kAgreementShares = {0.01, 0.02, 0.04, 0.07, 0.12};

// Arguments of the formulas.
struct Formulas {
  double d = 1;
  double log_rounds = 1;    // ln T
  double log_delta = 1;     // ln(1/delta)
  double part = 1;          // U / k: mistakes of a teacher at a call
  ApproximateDp each = {};  // budget of a round
};

// sample_delta such that all draws give away a quarter of delta.
void SetSampleDelta(const ApproximateDp& each, Params& params) {
  const auto draws =
      static_cast<double>(params.votes) * static_cast<double>(params.calls);
  params.sample_delta = each.delta / (4 * draws * (1 + std::exp(each.epsilon)));
}

void SetTeachers(double teachers, double part, Params& params) {
  teachers = std::min(std::ceil(teachers), 0x1p60);
  params.teachers = static_cast<std::uint64_t>(teachers);
  params.limit =
      static_cast<std::int64_t>(std::min(std::ceil(teachers * part), 0x1p60));
}

Error NoNoise() {
  return NotConverged(
      "no noise keeps to epsilon and delta: delta must be positive, "
      "and fewer changes or votes help");
}

// The lines' own formulas for the epsilon in them. B is k/10 where that gives
// away little enough, else the least.
void SetPrinted(const Formulas& formulas, double epsilon, Params& params) {
  const double d3 = std::pow(formulas.d, 3);
  const double both = formulas.log_rounds + formulas.log_delta;  // ln(T/delta)
  params.mistake_rate = std::max(kLeastRate, epsilon / (both * d3));
  params.agreement = std::max(kLeastRate, epsilon / (both * formulas.d));
  params.sample_rate =
      epsilon / std::sqrt(d3 * formulas.log_rounds * formulas.log_delta);
  SetTeachers(std::pow(formulas.d, 3.5) * formulas.log_rounds *
                  formulas.log_delta / epsilon,
              formulas.part, params);
  SetSampleDelta(formulas.each, params);
  constexpr double kSamplers = 1e-18;
  const auto tenth = static_cast<std::int64_t>(params.teachers / 10);
  params.sample_delta = std::min(
      params.sample_delta,
      std::max(kSamplers,
               SparseSampleDelta(params.sample_rate, params.list_size, tenth)));
}

// The paper proves (O(epsilon), delta): its formulas get the epsilon with which
// our accountant proves what was asked.
Status FitPrinted(const Formulas& formulas, Params& params) {
  double low = 0;
  double high = std::min(formulas.each.epsilon, kMostRate);
  for (int i = 0; i < 40; ++i) {
    const double middle =
        i == 0 ? high : (low == 0 ? high / 4 : (low + high) / 2);
    SetPrinted(formulas, middle, params);
    const bool fits =
        DpOnlineDelta(params, formulas.each.epsilon) <= formulas.each.delta;
    (fits ? low : high) = middle;
  }
  if (low == 0) return NoNoise();
  SetPrinted(formulas, low, params);
  return Ok();
}

// The largest rate of draws that keeps to the budget; false if there is none.
bool FitSampleRate(const ApproximateDp& each, Params& params) {
  double low = 0;
  double high = kMostRate;
  for (int i = 0; i < 40; ++i) {
    params.sample_rate = low == 0 ? high / 4 : (low + high) / 2;
    (DpOnlineDelta(params, each.epsilon) <= each.delta ? low : high) =
        params.sample_rate;
  }
  params.sample_rate = low;
  return low > 0;
}

// Four fifths of them are enough for a draw of a function, noise included; an
// eighth is more than the noise, as some teachers get no mistake at all.
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
  return std::ceil(std::max(1.25 * needed, 8 * noise));
}

// The share of the test of agreement for which the fewest teachers will do.
Status FitLeast(const Formulas& formulas, Params& params) {
  const ApproximateDp& each = formulas.each;
  Params best = params;
  double fewest = 0x1p60;
  SetSampleDelta(each, params);
  params.mistake_rate = kMistakeShare * each.epsilon;
  for (const double share : kAgreementShares) {
    params.agreement = share * each.epsilon;
    if (!FitSampleRate(each, params)) continue;
    const auto needed = TeachersFor(params);
    if (!needed || *needed >= fewest) continue;
    fewest = *needed;
    best = params;
  }
  if (!(fewest < 0x1p60)) return NoNoise();
  params = best;
  SetTeachers(fewest, formulas.part, params);
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

namespace {

Formulas MakeFormulas(const DpOnlineOptions& options, int dimension,
                      const ApproximateDp& each) {
  const double rounds = options.horizon == 0
                            ? kUsualHorizon
                            : static_cast<double>(options.horizon);
  Formulas formulas{.d = static_cast<double>(std::max(dimension, 1)),
                    .log_rounds = std::log(std::max(rounds, 2.0)),
                    .log_delta = std::log(1 / std::min(each.delta, 0.5)),
                    .each = each};
  formulas.part = (options.printed ? options.constant : 1) *
                  std::pow(formulas.d, 3) *
                  std::log(std::max(2.0, formulas.d * formulas.log_rounds));
  return formulas;
}

// Calls, votes, lists: before any noise.
void SetCounts(const DpOnlineOptions& options, const Formulas& formulas,
               Params& params) {
  const FiniteClass& functions = *options.functions;
  const auto cube = static_cast<std::uint64_t>(std::pow(formulas.d, 3));
  const auto votes = static_cast<std::uint64_t>(std::ceil(formulas.log_rounds));
  params.stages =
      options.stages.value_or(static_cast<std::uint64_t>(formulas.d) + 1);
  params.calls = options.calls.value_or(
      options.printed ? static_cast<std::uint64_t>(std::max(
                            1.0, options.constant * static_cast<double>(cube)))
                      : std::max(kLeastCalls, cube));
  params.votes = options.votes.value_or(options.printed ? votes : votes | 1U);
  // Fact 4 needs p to be at least the mistakes of a teacher at a
  // call.
  params.p = options.p.value_or(static_cast<std::uint64_t>(
      std::clamp(std::ceil(1.5 * formulas.part), 1.0, 0x1p20)));
  params.form = options.form
                    ? TeacherLists::FormFor(functions, params.p, *options.form)
                    : TeacherLists::FormFor(functions, params.p);
  params.list_size = options.list_size.value_or(TeacherLists::MostItems(
      functions, params.dimension,
      std::min(params.p << params.stages, TeacherLists::kMaxP)));
}

}  // namespace

Result<Params> ChooseDpOnline(const DpOnlineOptions& options) {
  SOTTO_TRY_ASSIGN(const auto each,
                   PerRoundTarget(options.user, options.rounds_per_user));
  if (each.epsilon > kMostEpsilon) {
    return InvalidArgument("DP-OL takes an epsilon of at most 16");
  }
  const int dimension = QuickDimension(*options.functions).hi;
  const Formulas formulas = MakeFormulas(options, dimension, each);
  Params params{.functions = options.functions,
                .user = options.user,
                .relation = options.relation,
                .rounds_per_user = options.rounds_per_user,
                .delay = options.delay,
                .dimension = dimension,
                .period = options.period.value_or(1),
                .streams = options.adversary};
  SetCounts(options, formulas, params);
  const Status fitted = options.printed ? FitPrinted(formulas, params)
                                        : FitLeast(formulas, params);
  if (!fitted) return fitted.error();
  if (options.teachers) {
    SetTeachers(static_cast<double>(*options.teachers), formulas.part, params);
  }
  if (options.limit) params.limit = *options.limit;
  params.threshold = static_cast<std::int64_t>(
      std::floor(0.8 * static_cast<double>(params.teachers)));
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
