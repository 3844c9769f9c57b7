#include "sotto/mechanisms/thresholds/fresh_noise_band.h"

#include <algorithm>
#include <cmath>

#include "sotto/accounting/rounding.h"
#include "sotto/accounting/stopped_process.h"
#include "sotto/mechanisms/thresholds/between_thresholds.h"
#include "sotto/mechanisms/thresholds/multi_above_threshold.h"

namespace sotto {

template <typename Rule>
Result<FreshNoiseBand<Rule>> FreshNoiseBand<Rule>::Create(
    const Params& params) {
  SOTTO_TRY(Rule::Check(params));
  SOTTO_TRY_ASSIGN(
      const auto chosen,
      ChooseFreshNoise(
          params.rate,
          {.epsilon = params.epsilon,
           .delta = params.delta,
           .reports = params.reports,
           .gap = Rule::Gap(params, StoppedProcess::kAboveThreshold)}));
  SOTTO_TRY_ASSIGN(auto guarantee,
                   ThresholdGuarantee(params.epsilon, chosen.delta));
  SOTTO_TRY_ASSIGN(auto noise,
                   FixedWorkLaplace::Create(ExactRate(chosen.rate)));
  return FreshNoiseBand(params, chosen.rate, std::move(guarantee),
                        std::move(noise));
}

template <typename Rule>
typename FreshNoiseBand<Rule>::Answer FreshNoiseBand<Rule>::Decide(
    std::int64_t value, std::int64_t noise, Rng& rng) {
  if (halted()) return Rule::Halted();
  ++rounds_;
  const std::int64_t query = rng.Private(Rule::kSite, ClampQuery(value), 1);
  const Answer answer = Rule::Decide(params_, query + noise);
  if (Rule::IsCharged(params_, answer)) --reports_left_;
  return answer;
}

// A query at or above t + w fails if Z < -w, one at or below t - w if Z >= w;
// each with probability at most e^(-e0 w) / (1 + e^-e0).
template <typename Rule>
std::int64_t FreshNoiseBand<Rule>::ErrorBound(
    std::uint64_t tests,
    double failure) const requires std::is_base_of_v<OneThreshold, Rule> {
  const double t = static_cast<double>(std::max<std::uint64_t>(tests, 1));
  const double w = std::log(t / (failure * (1 + std::exp(-rate_)))) / rate_;
  return static_cast<std::int64_t>(
      std::ceil(std::max(InflateUp(w, 1e-12), 0.0)));
}

template <typename Rule>
void FreshNoiseBand<Rule>::Save(ByteWriter& writer) const {
  writer.Text(Rule::kTag);
  SaveNumbers(Rule::Thresholds(params_), writer);
  writer.Number(params_.reports);
  SaveNumbers(Rule::Kinds(params_), writer);
  writer.Real(rate_);
  writer.Number(reports_left_);
  writer.Number(rounds_);
}

template <typename Rule>
Result<FreshNoiseBand<Rule>> FreshNoiseBand<Rule>::Load(const Params& params,
                                                        ByteReader& reader) {
  const bool same = reader.Text() == Rule::kTag &&
                    NextNumbersAre(Rule::Thresholds(params), reader) &&
                    reader.Number<std::int64_t>() == params.reports &&
                    NextNumbersAre(Rule::Kinds(params), reader);
  if (!same && !reader.failed()) {
    return FailedPrecondition(
        "the state belongs to another test or other parameters");
  }
  Params saved = params;
  saved.rate = reader.Real();
  const auto reports_left = reader.Number<std::int64_t>();
  const auto rounds = reader.Number<std::uint64_t>();
  if (reader.failed() || !(saved.rate > 0) || reports_left < 0 ||
      reports_left > params.reports || rounds > kMaxThresholdRounds) {
    return Corruption("the saved test makes no sense");
  }
  SOTTO_TRY_ASSIGN(auto test, Create(saved));
  test.params_ = params;
  test.reports_left_ = reports_left;
  test.rounds_ = rounds;
  return test;
}

template class FreshNoiseBand<MultiAboveThresholdRule>;
template class FreshNoiseBand<BetweenThresholdsRule>;

}  // namespace sotto
