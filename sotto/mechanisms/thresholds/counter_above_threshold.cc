#include "sotto/mechanisms/thresholds/counter_above_threshold.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "sotto/accounting/pop_accountant.h"
#include "sotto/accounting/rounding.h"
#include "sotto/base/rational.h"
#include "sotto/mechanisms/selection/selection_params.h"

namespace sotto {
namespace {

using Noise = CounterAboveThreshold::Noise;
using Params = CounterAboveThreshold::Params;

constexpr std::string_view kTag = "counter_above_threshold/1";

TreeCounter::Params CounterParams(const Params& params, const Noise& noise) {
  return {.epsilon = noise.counter_epsilon,
          .horizon = params.horizon,
          .failure = noise.counter_failure,
          .radices = CounterRadices(params.horizon, params.radices)};
}

// Delta of the tests' samplers: at most T draws, in both worlds.
double SamplerDelta(const Params& params) {
  return BothWorldsSlack(params.epsilon,
                         std::ldexp(static_cast<double>(params.horizon),
                                    -FixedWorkLaplace::TotalVariationLog2()));
}

// Tests and counter beside each other, for the accountant.
CounterPopProcess Process(const Params& params, const Noise& noise) {
  return {.rate = noise.rate,
          .targets = params.reports,
          .counter = UpAdd(noise.counter_epsilon, params.beside),
          .late = noise.late,
          .failure = noise.counter_failure};
}

// A quarter of delta for the counter's failure, and this share of the epsilon
// that is not spent beside it.
Result<Noise> CounterShare(const Params& params, double share) {
  Noise noise{.counter_epsilon = (params.epsilon - params.beside) * share,
              .counter_failure = params.delta / 4};
  SOTTO_TRY_ASSIGN(const auto error, CounterAboveThreshold::CounterError(
                                         params, noise, noise.counter_failure));
  noise.late = static_cast<std::int64_t>(std::ceil(error));
  return noise;
}

// The paper's shares: half of the epsilon each, half of delta for the tests.
Result<Noise> PrintedNoise(const Params& params) {
  SOTTO_TRY_ASSIGN(auto noise, CounterShare(params, 0.5));
  const auto all = static_cast<double>(params.reports + noise.late);
  const double gamma = params.constant * 2 / (params.epsilon - params.beside) *
                       std::sqrt(all) * std::log(2 * all / params.delta);
  noise.rate = 1 / gamma;
  return noise;
}

std::optional<Noise> NoiseWithShare(const Params& params, double share) {
  auto noise = CounterShare(params, share);
  if (!noise) return std::nullopt;
  // A little less than there is: the certificate rounds up, at a rate that
  // rounds up too.
  const auto process = CounterPopLeastNoise(
      Process(params, *noise), params.epsilon,
      params.delta * (1 - 1e-6) - 2 * SamplerDelta(params));
  if (!process) return std::nullopt;
  noise->rate = process->rate * (1 - 1e-9);
  return *noise;
}

// The best share of the counter: by halves from the paper's, then finer.
Result<Noise> LeastNoiseFor(const Params& params) {
  std::optional<Noise> best;
  double share = 0.5;
  const auto better = [&](double other) {
    const auto noise = NoiseWithShare(params, other);
    if (!noise || (best && noise->rate <= best->rate)) return false;
    best = noise;
    share = other;
    return true;
  };
  better(0.8);
  constexpr double kLeastShare = 1e-4;
  for (double next = 0.5; next > kLeastShare; next /= 2) {
    if (!better(next) && best) break;
  }
  for (double factor = std::sqrt(2.0); factor > 1.1;
       factor = std::sqrt(factor)) {
    if (!better(share * factor)) better(share / factor);
  }
  if (!best) {
    return Error{ErrorCode::kNotConverged,
                 "no noise is enough for this counter and these reports"};
  }
  return *best;
}

Result<Guarantee> MakePromise(const Params& params, const Noise& noise,
                              const TreeCounter& counter) {
  SOTTO_TRY_ASSIGN(const auto process,
                   CounterPopDelta(Process(params, noise), params.epsilon));
  const double delta =
      UpAdd(UpAdd(process, counter.guarantee().delta()), SamplerDelta(params));
  Spend spend =
      ComposeParts("round", {params.epsilon, std::min(delta, 1.0)},
                   {PurePart("tests", SamplerKind::kLaplace, noise.rate, 1),
                    counter.guarantee().spend()});
  return MakeGuarantee(
      {.notion = Notion::kChallengeDp,
       .relation = Relation::kReplace,
       .protects = "one user: a round with any query, whose answer only the "
                   "user sees, and a record that moves every other query by "
                   "at most one",
       .spend = std::move(spend)},
      {params.epsilon, params.delta});
}

}  // namespace

std::vector<std::uint64_t> CounterRadices(
    std::uint64_t horizon, const std::vector<std::uint64_t>& radices) {
  if (!radices.empty()) return radices;
  std::vector<std::uint64_t> binary;
  for (std::uint64_t size = 1; size < horizon; size *= 2) binary.push_back(2);
  if (binary.empty()) binary.push_back(2);
  return binary;
}

Result<double> CounterAboveThreshold::CounterError(const Params& params,
                                                   const Noise& noise,
                                                   double failure) {
  SOTTO_TRY_ASSIGN(const auto shape,
                   TreeShape::Best({.epsilon = noise.counter_epsilon,
                                    .horizon = params.horizon,
                                    .failure = failure,
                                    .radices = CounterRadices(
                                        params.horizon, params.radices)}));
  return shape.ErrorBound(failure);
}

Result<Noise> CounterAboveThreshold::ChooseNoise(const Params& params) {
  if (!(params.delta > 0 && params.delta < 1) || !(params.constant > 0) ||
      params.reports < 1) {
    return InvalidArgument(
        "ChallengeAT needs a delta, a report and a constant above 0");
  }
  if (!(params.beside >= 0 && params.beside < params.epsilon)) {
    return InvalidArgument("nothing is left of epsilon for ChallengeAT");
  }
  return params.printed ? PrintedNoise(params) : LeastNoiseFor(params);
}

Result<CounterAboveThreshold> CounterAboveThreshold::Create(
    const Params& params) {
  SOTTO_TRY_ASSIGN(const auto noise, ChooseNoise(params));
  return Create(params, noise);
}

Result<CounterAboveThreshold> CounterAboveThreshold::Create(
    const Params& params, const Noise& asked) {
  SOTTO_TRY(
      CheckThresholdTest(params.epsilon, params.reports, params.threshold));
  if (!(params.beside >= 0)) return InvalidArgument("beside is below 0");
  SOTTO_TRY_ASSIGN(auto counter,
                   TreeCounter::Create(CounterParams(params, asked)));
  // The tests are done at a rate that the sampler has exactly.
  SOTTO_TRY_ASSIGN(const auto rate, RationalBelow(asked.rate));
  SOTTO_TRY_ASSIGN(auto laplace, FixedWorkLaplace::Create(rate));
  Noise noise = asked;
  noise.rate = rate.ToDoubleUp();
  noise.late = std::max(
      noise.late, static_cast<std::int64_t>(std::ceil(counter.ErrorBound())));
  SOTTO_TRY_ASSIGN(auto guarantee, MakePromise(params, noise, counter));
  return CounterAboveThreshold(params, noise, std::move(laplace),
                               std::move(counter), std::move(guarantee));
}

// The counter takes one step in every round: it cannot fail before the
// horizon, at which the halt is public anyway.
void CounterAboveThreshold::Count(bool above, Rng& rng) {
  const auto count = counter_.Add(above ? 1 : 0, rng);
  halted_ = !count || *count >= params_.reports ||
            counter_.steps() >= params_.horizon;
}

CounterAboveThreshold::Answer CounterAboveThreshold::Test(std::int64_t value,
                                                          Rng& rng) {
  if (halted_) return Answer::kHalted;
  const std::int64_t query = rng.Private(kSite, ClampQuery(value), 1);
  const bool above = query + laplace_.Sample(rng) >= params_.threshold;
  Count(above, rng);
  return above ? Answer::kAbove : Answer::kBelow;
}

void CounterAboveThreshold::PlayEmptyRound(Rng& rng) {
  if (halted_) return;
  laplace_.Sample(rng);
  Count(false, rng);
}

void CounterAboveThreshold::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Number(params_.threshold);
  writer.Number(params_.reports);
  writer.Number(params_.horizon);
  writer.Real(noise_.rate);
  writer.Real(noise_.counter_epsilon);
  writer.Real(noise_.counter_failure);
  writer.Number(noise_.late);
  writer.Number(static_cast<std::uint8_t>(halted_));
  counter_.Save(writer);
}

Result<CounterAboveThreshold> CounterAboveThreshold::Load(const Params& params,
                                                          ByteReader& reader) {
  if (reader.Text() != kTag ||
      reader.Number<std::int64_t>() != params.threshold ||
      reader.Number<std::int64_t>() != params.reports ||
      reader.Number<std::uint64_t>() != params.horizon) {
    return FailedPrecondition(
        "the state belongs to another test or other parameters");
  }
  Noise noise;
  noise.rate = reader.Real();
  noise.counter_epsilon = reader.Real();
  noise.counter_failure = reader.Real();
  noise.late = reader.Number<std::int64_t>();
  const auto halted = reader.Number<std::uint8_t>();
  auto test = Create(params, noise);
  if (reader.failed() || !test || halted > 1) {
    return Corruption("the saved noise does not fit");
  }
  SOTTO_TRY_ASSIGN(test->counter_,
                   TreeCounter::Load(CounterParams(params, noise), reader));
  test->halted_ = halted == 1;
  return test;
}

}  // namespace sotto
