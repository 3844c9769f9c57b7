#include "sotto/mechanisms/thresholds/challenge_above_threshold.h"

#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "challenge_above_threshold/1";

}  // namespace

Result<ChallengeAboveThreshold> ChallengeAboveThreshold::Create(
    const Params& params) {
  if (Status status =
          CheckThresholdTest(params.epsilon, params.reports, params.threshold);
      !status) {
    return status.error();
  }
  SOTTO_TRY_ASSIGN(
      const auto chosen,
      ChooseChallengeNoise(params.noise, {.epsilon = params.epsilon,
                                          .delta = params.delta,
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
  return ChallengeAboveThreshold(params, chosen.noise, std::move(guarantee),
                                 std::move(laplace), std::move(stopper));
}

ChallengeAboveThreshold::Answer ChallengeAboveThreshold::Test(
    std::int64_t value, Rng& rng) {
  if (halted()) return Answer::kHalted;
  const std::int64_t query =
      rng.Private("threshold query", ClampQuery(value), 1);
  const bool above = query + laplace_.Sample(rng) >= params_.threshold;
  const bool charged = above == (params_.charge == Charge::kAbove);
  stopper_.Advance(charged ? 1 : 0, rng);
  return above ? Answer::kAbove : Answer::kBelow;
}

void ChallengeAboveThreshold::PlayEmptyRound(Rng& rng) {
  if (halted()) return;
  laplace_.Sample(rng);
  stopper_.Advance(0, rng);
}

void ChallengeAboveThreshold::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Number(params_.threshold);
  writer.Number(static_cast<std::uint8_t>(params_.charge));
  writer.Real(noise_.rate);
  writer.Real(noise_.stopper_rate);
  writer.Number(noise_.limit);
  stopper_.Save(writer);
}

Result<ChallengeAboveThreshold> ChallengeAboveThreshold::Load(
    const Params& params, ByteReader& reader) {
  if (reader.Text() != kTag ||
      reader.Number<std::int64_t>() != params.threshold ||
      reader.Number<std::uint8_t>() !=
          static_cast<std::uint8_t>(params.charge)) {
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
