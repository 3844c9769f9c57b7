#include "sotto/mechanisms/thresholds/between_thresholds.h"

#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "between_thresholds/1";
constexpr std::int64_t kMaxGap = std::int64_t{1} << 40;

}  // namespace

Result<BetweenThresholds> BetweenThresholds::Create(const Params& params) {
  for (const std::int64_t threshold : {params.low, params.high}) {
    if (Status status =
            CheckThresholdTest(params.epsilon, params.reports, threshold);
        !status) {
      return status.error();
    }
  }
  const std::int64_t gap = params.high - params.low - 1;
  if (gap < 1 || gap > kMaxGap) {
    return InvalidArgument(
        "between the thresholds there must be 1 to 2^40 integers");
  }
  SOTTO_TRY_ASSIGN(const auto chosen,
                   ChooseFreshNoise(params.rate, {.epsilon = params.epsilon,
                                                  .delta = params.delta,
                                                  .reports = params.reports,
                                                  .gap = gap}));
  SOTTO_TRY_ASSIGN(auto guarantee,
                   ThresholdGuarantee(params.epsilon, chosen.delta));
  SOTTO_TRY_ASSIGN(auto noise,
                   FixedWorkLaplace::Create(ExactRate(chosen.rate)));
  return BetweenThresholds(params, chosen.rate, std::move(guarantee),
                           std::move(noise));
}

BetweenThresholds::Answer BetweenThresholds::Decide(std::int64_t value,
                                                    std::int64_t noise,
                                                    Rng& rng) {
  if (halted()) return {};
  ++rounds_;
  const std::int64_t noisy =
      rng.Private("band query", ClampQuery(value), 1) + noise;
  const Zone zone = FindZone(noisy, params_.low, params_.high);
  if (zone != Zone::kMedium) return {zone, 0};
  --reports_left_;
  return {zone, noisy};
}

void BetweenThresholds::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Number(params_.low);
  writer.Number(params_.high);
  writer.Number(params_.reports);
  writer.Real(rate_);
  writer.Number(reports_left_);
  writer.Number(rounds_);
}

Result<BetweenThresholds> BetweenThresholds::Load(const Params& params,
                                                  ByteReader& reader) {
  const bool same = reader.Text() == kTag &&
                    reader.Number<std::int64_t>() == params.low &&
                    reader.Number<std::int64_t>() == params.high &&
                    reader.Number<std::int64_t>() == params.reports;
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
