#include "sotto/mechanisms/thresholds/challenge_between_thresholds.h"

#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "challenge_between_thresholds/1";

}  // namespace

Result<ChallengeBetweenThresholds> ChallengeBetweenThresholds::Create(
    const Params& params) {
  for (const std::int64_t threshold : {params.low, params.high}) {
    if (Status status =
            CheckThresholdTest(params.epsilon, params.reports, threshold);
        !status) {
      return status.error();
    }
  }
  SOTTO_TRY_ASSIGN(
      const auto chosen,
      ChooseChallengeNoise(params.noise, {.epsilon = params.epsilon,
                                          .delta = params.delta,
                                          .gap = params.high - params.low - 1,
                                          .reports = params.reports,
                                          .rounds = params.rounds,
                                          .failure = params.failure}));
  SOTTO_TRY_ASSIGN(auto guarantee,
                   ChallengeGuarantee(params.epsilon, chosen.delta));
  SOTTO_TRY_ASSIGN(auto laplace,
                   FixedWorkLaplace::Create(ExactRate(chosen.noise.rate)));
  SOTTO_TRY_ASSIGN(auto stopper,
                   Stopper::Create({.epsilon = chosen.noise.stopper_rate,
                                    .limit = chosen.noise.limit}));
  return ChallengeBetweenThresholds(params, chosen.noise, std::move(guarantee),
                                    std::move(laplace), std::move(stopper));
}

ChallengeBetweenThresholds::Answer ChallengeBetweenThresholds::Test(
    std::int64_t value, Rng& rng) {
  if (halted()) return {};
  const std::int64_t query = rng.Private("band query", ClampQuery(value), 1);
  const std::int64_t noisy = query + laplace_.Sample(rng);
  const Zone zone =
      BetweenThresholds::FindZone(noisy, params_.low, params_.high);
  const bool medium = zone == Zone::kMedium;
  stopper_.Advance(medium ? 1 : 0, rng);
  return {zone, medium ? noisy : 0};
}

void ChallengeBetweenThresholds::PlayEmptyRound(Rng& rng) {
  if (halted()) return;
  laplace_.Sample(rng);
  stopper_.Advance(0, rng);
}

void ChallengeBetweenThresholds::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Number(params_.low);
  writer.Number(params_.high);
  writer.Real(noise_.rate);
  writer.Real(noise_.stopper_rate);
  writer.Number(noise_.limit);
  stopper_.Save(writer);
}

Result<ChallengeBetweenThresholds> ChallengeBetweenThresholds::Load(
    const Params& params, ByteReader& reader) {
  if (reader.Text() != kTag || reader.Number<std::int64_t>() != params.low ||
      reader.Number<std::int64_t>() != params.high) {
    return Error{ErrorCode::kFailedPrecondition,
                 "the state belongs to another test or other parameters"};
  }
  Params saved = params;
  saved.noise.rate = reader.Real();
  saved.noise.stopper_rate = reader.Real();
  saved.noise.limit = reader.Number<std::int64_t>();
  auto test = Create(saved);
  if (!test) {
    return Error{ErrorCode::kCorruption,
                 "the saved noise does not fit: " + test.error().message};
  }
  SOTTO_TRY_ASSIGN(auto stopper,
                   Stopper::Load({.epsilon = test->noise_.stopper_rate,
                                  .limit = test->noise_.limit},
                                 reader));
  test->params_ = params;
  test->stopper_ = std::move(stopper);
  return test;
}

}  // namespace sotto
