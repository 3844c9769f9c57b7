#include "sotto/models/pop/counter_online_procedure.h"

#include <cmath>
#include <cstdlib>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/spend.h"
#include "sotto/models/pop/pop_schedule.h"

namespace sotto {
namespace {

using Noise = CounterAboveThreshold::Noise;
using Params = CounterOnlineProcedure::Params;

constexpr std::string_view kTag = "counter_online_procedure/1";
constexpr std::uint64_t kMaxLevels = 64;

Error Halted() {
  return {ErrorCode::kFailedPrecondition, "the procedure has halted"};
}

Status Check(const Params& params) {
  if (params.copies < 4 || params.copies > CounterOnlineProcedure::kMaxCopies ||
      params.copies % 4 != 0) {
    return InvalidArgument(
        "there must be 4 to 2^31 - 1 copies, and a multiple of 4");
  }
  return Ok();
}

// ChallengeAT on the empty set, t = -k/4, for what one round may cost.
Result<CounterAboveThreshold::Params> TestParams(const Params& params) {
  SOTTO_TRY(Check(params));
  SOTTO_TRY_ASSIGN(
      const auto each,
      PerRoundTarget({params.epsilon, params.delta}, params.rounds_per_user));
  return CounterAboveThreshold::Params{.epsilon = each.epsilon,
                                       .delta = each.delta,
                                       .threshold = -params.copies / 4,
                                       .reports = params.reports,
                                       .horizon = params.horizon,
                                       .radices = params.radices};
}

Result<CounterAboveThreshold> MakeTest(const Params& params) {
  SOTTO_TRY_ASSIGN(const auto test, TestParams(params));
  return CounterAboveThreshold::Create(test, params.noise);
}

// Step 4: at most r + lambda reports, and one more.
double ShownMajorities(const Noise& noise, std::int64_t copies,
                       std::int64_t reports, double epsilon) {
  return MajorityCost(copies, noise.rate,
                      static_cast<double>(reports + noise.late + 1), epsilon);
}

Result<Guarantee> MakePromise(const Params& params,
                              const CounterAboveThreshold& test) {
  SOTTO_TRY_ASSIGN(const auto asked, TestParams(params));
  const double shown = ShownMajorities(test.noise(), params.copies,
                                       params.reports, asked.epsilon);
  Spend round = AddParts("answers", {test.guarantee().spend(),
                                     MakePart("majorities", {0, shown})});
  return MakeGuarantee(
      {.notion = Notion::kChallengeDp,
       .relation = Relation::kReplace,
       .rounds_per_user = params.rounds_per_user,
       .protects = "a user's features and label",
       .spend = ForSteps(std::move(round), params.rounds_per_user)},
      {params.epsilon, params.delta});
}

}  // namespace

void CounterOnlineProcedure::Params::Save(ByteWriter& writer) const {
  writer.Real(epsilon);
  writer.Real(delta);
  writer.Number(rounds_per_user);
  writer.Number(copies);
  writer.Number(reports);
  writer.Number(horizon);
  writer.Number(static_cast<std::uint64_t>(radices.size()));
  for (const std::uint64_t radix : radices) writer.Number(radix);
  writer.Real(noise.rate);
  writer.Real(noise.counter_epsilon);
  writer.Real(noise.counter_failure);
  writer.Number(noise.late);
}

Params CounterOnlineProcedure::Params::Load(ByteReader& reader) {
  Params params;
  params.epsilon = reader.Real();
  params.delta = reader.Real();
  params.rounds_per_user = reader.Number<std::uint64_t>();
  params.copies = reader.Number<std::int64_t>();
  params.reports = reader.Number<std::int64_t>();
  params.horizon = reader.Number<std::uint64_t>();
  const auto levels = reader.Number<std::uint64_t>();
  for (std::uint64_t i = 0; i < levels && i < kMaxLevels; ++i) {
    params.radices.push_back(reader.Number<std::uint64_t>());
  }
  params.noise.rate = reader.Real();
  params.noise.counter_epsilon = reader.Real();
  params.noise.counter_failure = reader.Real();
  params.noise.late = reader.Number<std::int64_t>();
  return params;
}

Result<CounterOnlineProcedure> CounterOnlineProcedure::Create(
    const Params& params, EnsembleFactory factory) {
  SOTTO_TRY_ASSIGN(auto test, MakeTest(params));
  SOTTO_TRY_ASSIGN(auto guarantee, MakePromise(params, test));
  SOTTO_TRY_ASSIGN(auto copies, factory(0, params.copies));
  Params exact = params;
  exact.noise = test.noise();
  return CounterOnlineProcedure(std::move(exact), std::move(factory),
                                std::move(guarantee), std::move(test),
                                std::move(copies));
}

Result<Guarantee> CounterOnlineProcedure::Promise(const Params& params) {
  SOTTO_TRY_ASSIGN(const auto test, MakeTest(params));
  return MakePromise(params, test);
}

Result<CounterOnlineProcedure> CounterOnlineProcedure::Restarted() const {
  SOTTO_TRY_ASSIGN(auto copies, factory_(0, params_.copies));
  return CounterOnlineProcedure(params_, factory_, guarantee_, test_,
                                std::move(copies));
}

void CounterOnlineProcedure::EndRound() {
  ++rounds_;
  halted_ = test_.halted();
}

// Lines (a) to (g). The coin and the copy are drawn before anything is looked
// at.
Result<CounterOnlineProcedure::Round> CounterOnlineProcedure::Open(
    FeatureView x, std::string_view, Rng& rng) {
  if (halted_) return Halted();
  const bool coin = (rng.Next() >> 63) != 0;
  Round round;
  round.copy = ChooseCopy(rng.Next(), params_.copies);
  const auto counted = copies_->Votes(x);
  if (!counted) {
    halted_ = true;
    return counted.error();
  }
  const std::int64_t votes = rng.Private("votes", *counted, 1);
  const std::int64_t disagree = -std::abs(params_.copies / 2 - votes);
  const bool above =
      test_.Test(disagree, rng) == CounterAboveThreshold::Answer::kAbove;
  round.answer = {above ? coin : 2 * votes >= params_.copies, above};
  round.x.assign(x.begin(), x.end());
  EndRound();
  return round;
}

Status CounterOnlineProcedure::PlayEmptyRound(Rng& rng) {
  if (halted_) return Halted();
  rng.Next();
  rng.Next();
  test_.PlayEmptyRound(rng);
  EndRound();
  return Ok();
}

// Line (h).
Status CounterOnlineProcedure::Close(Round round, bool y) {
  if (halted_) return Ok();
  if (round.copy < 0 || round.copy >= params_.copies) {
    return InvalidArgument("the round belongs to another procedure");
  }
  Status taught = copies_->Update(round.copy, round.x, y);
  if (!taught) halted_ = true;
  return taught;
}

Status CounterOnlineProcedure::Save(ByteWriter& writer) {
  writer.Text(kTag);
  params_.Save(writer);
  writer.Number(rounds_);
  writer.Number(static_cast<std::uint8_t>(halted_ ? 1 : 0));
  test_.Save(writer);
  return copies_->Save(writer);
}

Result<CounterOnlineProcedure> CounterOnlineProcedure::Load(
    const Params& params, EnsembleFactory factory, ByteReader& reader) {
  auto pop = Create(params, std::move(factory));
  if (!pop) return pop;
  if (reader.Text() != kTag) {
    return Corruption("the saved procedure is something else");
  }
  if (Params::Load(reader) != pop->params_) {
    return FailedPrecondition("the state belongs to other parameters");
  }
  pop->rounds_ = reader.Number<std::uint64_t>();
  const auto halted = reader.Number<std::uint8_t>();
  pop->halted_ = halted == 1;
  SOTTO_TRY_ASSIGN(const auto test, TestParams(params));
  SOTTO_TRY_ASSIGN(pop->test_, CounterAboveThreshold::Load(test, reader));
  if (reader.failed() || halted > 1 || pop->rounds_ > params.horizon ||
      pop->test_.halted() != pop->halted_) {
    return Corruption("the saved procedure makes no sense");
  }
  SOTTO_TRY(pop->copies_->Load(reader));
  return pop;
}

std::int64_t LeastCopies(const Noise& noise, std::int64_t reports,
                         double epsilon, double delta) {
  constexpr std::int64_t kMost = std::int64_t{1} << 58;
  const auto enough = [&](std::int64_t quarter) {
    return ShownMajorities(noise, 4 * quarter, reports, epsilon) <= delta;
  };
  std::int64_t high = 1;
  while (high < kMost && !enough(high)) high *= 2;
  if (!enough(high)) return 0;
  std::int64_t low = high / 2;  // not enough, or 0
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return 4 * high;
}

}  // namespace sotto
