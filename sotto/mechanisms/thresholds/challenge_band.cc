#include "sotto/mechanisms/thresholds/challenge_band.h"

#include "sotto/mechanisms/thresholds/challenge_above_threshold.h"
#include "sotto/mechanisms/thresholds/challenge_between_thresholds.h"

namespace sotto {

template <typename Rule>
Result<ChallengeBand<Rule>> ChallengeBand<Rule>::Create(const Params& params) {
  SOTTO_TRY(Rule::Check(params));
  SOTTO_TRY_ASSIGN(
      const auto chosen,
      ChooseChallengeNoise(
          params.noise,
          {.epsilon = params.epsilon,
           .delta = params.delta,
           .gap = Rule::Gap(params, ChallengeTarget::kAboveThreshold),
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
  return ChallengeBand(params, chosen.noise, std::move(guarantee),
                       std::move(laplace), std::move(stopper));
}

template <typename Rule>
typename ChallengeBand<Rule>::Answer ChallengeBand<Rule>::Test(
    std::int64_t value, Rng& rng) {
  if (halted()) return Rule::Halted();
  const std::int64_t query = rng.Private(Rule::kSite, ClampQuery(value), 1);
  const Answer answer = Rule::Decide(params_, query + laplace_.Sample(rng));
  stopper_.Advance(Rule::IsCharged(params_, answer) ? 1 : 0, rng);
  return answer;
}

template <typename Rule>
void ChallengeBand<Rule>::PlayEmptyRound(Rng& rng) {
  if (halted()) return;
  laplace_.Sample(rng);
  stopper_.Advance(0, rng);
}

template <typename Rule>
void ChallengeBand<Rule>::Save(ByteWriter& writer) const {
  writer.Text(Rule::kTag);
  SaveNumbers(Rule::Thresholds(params_), writer);
  SaveNumbers(Rule::Kinds(params_), writer);
  writer.Real(noise_.rate);
  writer.Real(noise_.stopper_rate);
  writer.Number(noise_.limit);
  stopper_.Save(writer);
}

template <typename Rule>
Result<ChallengeBand<Rule>> ChallengeBand<Rule>::Load(const Params& params,
                                                      ByteReader& reader) {
  if (reader.Text() != Rule::kTag ||
      !NextNumbersAre(Rule::Thresholds(params), reader) ||
      !NextNumbersAre(Rule::Kinds(params), reader)) {
    return FailedPrecondition(
        "the state belongs to another test or other parameters");
  }
  Params saved = params;
  saved.noise.rate = reader.Real();
  saved.noise.stopper_rate = reader.Real();
  saved.noise.limit = reader.Number<std::int64_t>();
  auto test = Create(saved);
  if (!test) {
    return Corruption("the saved noise does not fit: " + test.error().message);
  }
  SOTTO_TRY_ASSIGN(auto stopper,
                   Stopper::Load({.epsilon = test->noise_.stopper_rate,
                                  .limit = test->noise_.limit},
                                 reader));
  test->params_ = params;
  test->stopper_ = std::move(stopper);
  return test;
}

template class ChallengeBand<ChallengeAboveThresholdRule>;
template class ChallengeBand<ChallengeBetweenThresholdsRule>;

}  // namespace sotto
