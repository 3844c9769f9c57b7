#include "sotto/mechanisms/thresholds/multi_above_threshold.h"

#include <algorithm>
#include <cmath>

#include "sotto/accounting/rounding.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "multi_above_threshold/1";

}  // namespace

Result<MultiAboveThreshold> MultiAboveThreshold::Create(const Params& params) {
  if (Status status =
          CheckThresholdTest(params.epsilon, params.reports, params.threshold);
      !status) {
    return status.error();
  }
  SOTTO_TRY_ASSIGN(const auto chosen,
                   ChooseFreshNoise(params.rate, {.epsilon = params.epsilon,
                                                  .delta = params.delta,
                                                  .reports = params.reports}));
  SOTTO_TRY_ASSIGN(auto guarantee,
                   ThresholdGuarantee(params.epsilon, chosen.delta));
  SOTTO_TRY_ASSIGN(auto noise,
                   FixedWorkLaplace::Create(ExactRate(chosen.rate)));
  return MultiAboveThreshold(params, chosen.rate, std::move(guarantee),
                             std::move(noise));
}

MultiAboveThreshold::Answer MultiAboveThreshold::Decide(std::int64_t value,
                                                        std::int64_t noise,
                                                        Rng& rng) {
  if (halted()) return Answer::kHalted;
  ++rounds_;
  const std::int64_t query =
      rng.Private("threshold query", ClampQuery(value), 1);
  const bool above = query + noise >= params_.threshold;
  if (above == (params_.charge == Charge::kAbove)) --reports_left_;
  return above ? Answer::kAbove : Answer::kBelow;
}

double MultiAboveThreshold::NoiseDeviation() const {
  return LaplaceDeviation(rate_);
}

// A query at or above t + w fails if Z < -w, one at or below t - w if Z >= w;
// each with probability at most e^(-e0 w) / (1 + e^-e0).
std::int64_t MultiAboveThreshold::ErrorBound(std::uint64_t tests,
                                             double failure) const {
  const double t = static_cast<double>(std::max<std::uint64_t>(tests, 1));
  const double w = std::log(t / (failure * (1 + std::exp(-rate_)))) / rate_;
  return static_cast<std::int64_t>(
      std::ceil(std::max(InflateUp(w, 1e-12), 0.0)));
}

void MultiAboveThreshold::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Number(params_.threshold);
  writer.Number(params_.reports);
  writer.Number(static_cast<std::uint8_t>(params_.charge));
  writer.Real(rate_);
  writer.Number(reports_left_);
  writer.Number(rounds_);
}

Result<MultiAboveThreshold> MultiAboveThreshold::Load(const Params& params,
                                                      ByteReader& reader) {
  const bool same =
      reader.Text() == kTag &&
      reader.Number<std::int64_t>() == params.threshold &&
      reader.Number<std::int64_t>() == params.reports &&
      reader.Number<std::uint8_t>() == static_cast<std::uint8_t>(params.charge);
  if (!same && !reader.failed()) {
    return Error{ErrorCode::kFailedPrecondition,
                 "the state belongs to another test or other parameters"};
  }
  Params saved = params;
  saved.rate = reader.Real();
  const auto reports_left = reader.Number<std::int64_t>();
  const auto rounds = reader.Number<std::uint64_t>();
  if (reader.failed() || !(saved.rate > 0) || reports_left < 0 ||
      reports_left > params.reports || rounds > kMaxThresholdRounds) {
    return Error{ErrorCode::kCorruption, "the saved test makes no sense"};
  }
  auto test = Create(saved);
  if (!test) return test.error();
  test->params_ = params;
  test->reports_left_ = reports_left;
  test->rounds_ = rounds;
  return test;
}

}  // namespace sotto
