#include "sotto/models/pop/counter_online_procedure.h"

#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/spend.h"
#include "sotto/models/pop/pop_schedule.h"

namespace sotto {
namespace {

using Noise = CounterAboveThreshold::Noise;
using Params = CounterOnlineProcedure::Params;

constexpr std::string_view kTag = "counter_online_procedure/2";
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
  if (params.mistakes < 0 || params.mistakes > kMaxReports) {
    return InvalidArgument("mistakes of a phase must be in [0, 2^32]");
  }
  return Ok();
}

// A mistake, and its time, of which the other world may have another: two steps
// of the counter.
constexpr std::uint64_t kMistakeSteps = 2;

double MistakeCost(const Params& params) {
  if (params.mistakes == 0) return 0;
  return static_cast<double>(kMistakeSteps) * params.mistake_epsilon;
}

// The counter of mistakes is a tree like that of the reports.
Result<std::optional<TreeCounter>> MakeMistakes(const Params& params) {
  if (params.mistakes == 0) return std::optional<TreeCounter>();
  SOTTO_TRY_ASSIGN(auto counter,
                   TreeCounter::Create({.epsilon = params.mistake_epsilon,
                                        .horizon = params.horizon,
                                        .radices = CounterRadices(
                                            params.horizon, params.radices)}));
  return std::optional<TreeCounter>(std::move(counter));
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
                                       .radices = params.radices,
                                       .beside = MistakeCost(params)};
}

Result<CounterAboveThreshold> MakeTest(const Params& params) {
  SOTTO_TRY_ASSIGN(const auto test, TestParams(params));
  return CounterAboveThreshold::Create(test, params.noise);
}

// Step 4: at most r + lambda reports, and one more.
double ShownMajorities(const Noise& noise, std::int64_t copies,
                       std::int64_t reports, double epsilon) {
  // The rate was rounded up; a smaller one reports fewer split rounds.
  return MajorityCost(copies, std::nextafter(noise.rate, 0),
                      static_cast<double>(reports + noise.late + 1), epsilon);
}

// ChallengeAT, which pays for the counter of mistakes too (step 6).
Spend TestSpend(const CounterAboveThreshold& test,
                const std::optional<TreeCounter>& mistakes) {
  Spend spend = test.guarantee().spend();
  if (!mistakes) return spend;
  Spend counter = ForSteps(mistakes->guarantee().spend(), kMistakeSteps);
  counter.name = "mistakes";
  spend.cost.delta = UpAdd(spend.cost.delta, Total(counter).delta);
  spend.parts.push_back(std::move(counter));
  return spend;
}

Result<Guarantee> MakePromise(const Params& params,
                              const CounterAboveThreshold& test,
                              const std::optional<TreeCounter>& mistakes) {
  SOTTO_TRY_ASSIGN(const auto asked, TestParams(params));
  const double shown = ShownMajorities(test.noise(), params.copies,
                                       params.reports, asked.epsilon);
  Spend round = AddParts("answers", {TestSpend(test, mistakes),
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
  writer.Number(mistakes);
  writer.Real(mistake_epsilon);
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
  params.mistakes = reader.Number<std::int64_t>();
  params.mistake_epsilon = reader.Real();
  return params;
}

Result<CounterOnlineProcedure> CounterOnlineProcedure::Create(
    const Params& params, EnsembleFactory factory) {
  SOTTO_TRY_ASSIGN(auto test, MakeTest(params));
  SOTTO_TRY_ASSIGN(auto mistakes, MakeMistakes(params));
  SOTTO_TRY_ASSIGN(auto guarantee, MakePromise(params, test, mistakes));
  SOTTO_TRY_ASSIGN(auto copies, factory(0, params.copies));
  Params exact = params;
  exact.noise = test.noise();
  return CounterOnlineProcedure(std::move(exact), std::move(factory),
                                std::move(guarantee), std::move(test),
                                std::move(mistakes), std::move(copies));
}

Result<Guarantee> CounterOnlineProcedure::Promise(const Params& params) {
  SOTTO_TRY_ASSIGN(const auto test, MakeTest(params));
  SOTTO_TRY_ASSIGN(const auto mistakes, MakeMistakes(params));
  return MakePromise(params, test, mistakes);
}

Result<CounterOnlineProcedure> CounterOnlineProcedure::Restarted() const {
  SOTTO_TRY_ASSIGN(auto copies, factory_(0, params_.copies));
  return CounterOnlineProcedure(params_, factory_, guarantee_, fresh_test_,
                                fresh_mistakes_, std::move(copies));
}

// Every check is made in every round, whatever the others return. After T
// rounds everything halts.
Status CounterOnlineProcedure::EndRound(Rng& rng) {
  ++rounds_;
  bool over = test_.halted();
  if (!mistakes_) {
    halted_ = over;
    return Ok();
  }
  const auto counted = mistakes_->Add(std::exchange(new_mistakes_, 0), rng);
  over |= !counted || *counted >= params_.mistakes;
  halted_ = rounds_ == params_.horizon;
  if (!over || halted_) return Ok();
  Status begun = BeginPhase();
  if (!begun) halted_ = true;
  return begun;
}

// Theorem F.4: the procedure again, on the rounds that are left.
Status CounterOnlineProcedure::BeginPhase() {
  SOTTO_TRY_ASSIGN(copies_, factory_(generation_ + 1, params_.copies));
  ++generation_;
  test_ = fresh_test_;
  mistakes_ = fresh_mistakes_;
  return Ok();
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
  round.generation = generation_;
  round.x.assign(x.begin(), x.end());
  SOTTO_TRY(EndRound(rng));
  return round;
}

Status CounterOnlineProcedure::PlayEmptyRound(Rng& rng) {
  if (halted_) return Halted();
  rng.Next();
  rng.Next();
  test_.PlayEmptyRound(rng);
  return EndRound(rng);
}

// Line (h).
Status CounterOnlineProcedure::Close(Round round, bool y) {
  if (halted_ || round.generation != generation_) return Ok();
  if (mistakes_ && round.prediction() != y) ++new_mistakes_;
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
  writer.Number(generation_);
  writer.Number(new_mistakes_);
  writer.Number(static_cast<std::uint8_t>(halted_ ? 1 : 0));
  test_.Save(writer);
  if (mistakes_) mistakes_->Save(writer);
  return copies_->Save(writer);
}

Status CounterOnlineProcedure::LoadMistakes(ByteReader& reader) {
  if (!mistakes_) return Ok();
  SOTTO_TRY_ASSIGN(
      mistakes_, TreeCounter::Load({.epsilon = params_.mistake_epsilon,
                                    .horizon = params_.horizon,
                                    .radices = CounterRadices(params_.horizon,
                                                              params_.radices)},
                                   reader));
  return Ok();
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
  pop->generation_ = reader.Number<std::uint64_t>();
  pop->new_mistakes_ = reader.Number<std::uint64_t>();
  const auto halted = reader.Number<std::uint8_t>();
  pop->halted_ = halted == 1;
  SOTTO_TRY_ASSIGN(const auto test, TestParams(params));
  SOTTO_TRY_ASSIGN(pop->test_, CounterAboveThreshold::Load(test, reader));
  SOTTO_TRY(pop->LoadMistakes(reader));
  const bool agnostic = params.mistakes > 0;
  const bool over =
      agnostic ? pop->rounds_ == params.horizon : pop->test_.halted();
  if (reader.failed() || halted > 1 || pop->rounds_ > params.horizon ||
      over != pop->halted_ || pop->new_mistakes_ > TreeCounter::kMaxCount ||
      (!agnostic && pop->generation_ > 0)) {
    return Corruption("the saved procedure makes no sense");
  }
  if (pop->generation_ > 0) {
    SOTTO_TRY_ASSIGN(pop->copies_,
                     pop->factory_(pop->generation_, params.copies));
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
