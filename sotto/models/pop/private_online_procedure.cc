#include "sotto/models/pop/private_online_procedure.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <tuple>

#include "sotto/base/int128.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"

namespace sotto {
namespace {

constexpr std::size_t kChunk = 256;
// At most five draws a round: within what SamplerSlack covers (step 9).
constexpr std::uint64_t kMaxRounds = kMaxThresholdRounds / 2;
constexpr std::uint64_t kShareMask = PopPhase::kAllExamples - 1;

// FNV-1a and a finisher. Which copy a user is pinned to is public, so this
// needs to be even, not secret.
std::uint64_t NameHash(std::string_view user) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : user) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93U;
  return hash ^ (hash >> 32);
}

Result<FixedWorkLaplace> MakeNoise(const PopPhase& phase) {
  SOTTO_TRY_ASSIGN(const auto rate, SnapRate(phase.rate));
  return FixedWorkLaplace::Create(ExactRate(rate));
}

Result<Stopper> MakeStopper(const PopSchedule& schedule, std::int64_t limit) {
  return Stopper::Create({.epsilon = schedule.stopper, .limit = limit});
}

Error Halted() {
  return {ErrorCode::kFailedPrecondition, "the procedure has halted"};
}

// The sampler is given a rate of 62 bits at most; the proof is for that one.
Status SnapRates(PopSchedule& schedule) {
  for (PopPhase& phase : schedule.phases) {
    SOTTO_TRY_ASSIGN(const auto rate, SnapRate(phase.rate));
    phase.rate = rate;
  }
  SOTTO_TRY_ASSIGN(const auto stopper, SnapRate(schedule.stopper));
  schedule.stopper = stopper;
  return Ok();
}

}  // namespace

PrivateOnlineProcedure::PrivateOnlineProcedure(const Params& params,
                                               EnsembleFactory factory,
                                               Guarantee guarantee,
                                               FixedWorkLaplace noise,
                                               Stopper stopper)
    : params_(params),
      factory_(std::move(factory)),
      guarantee_(std::move(guarantee)),
      noise_(std::move(noise)),
      noise_rate_(params.schedule.At(0).rate),
      fresh_stopper_(std::move(stopper)),
      fresh_limit_(params.schedule.At(0).reports),
      stopper_(fresh_stopper_),
      tolerated_(params.schedule.tolerated) {}

Result<PrivateOnlineProcedure> PrivateOnlineProcedure::Create(
    const Params& params, EnsembleFactory factory) {
  Params snapped = params;
  SOTTO_TRY(Validate(params.schedule));
  SOTTO_TRY(SnapRates(snapped.schedule));
  SOTTO_TRY_ASSIGN(auto guarantee, PopGuarantee(snapped.schedule,
                                                {params.epsilon, params.delta},
                                                params.rounds_per_user));
  SOTTO_TRY_ASSIGN(auto noise, MakeNoise(snapped.schedule.At(0)));
  SOTTO_TRY_ASSIGN(auto stopper, MakeStopper(snapped.schedule,
                                             snapped.schedule.At(0).reports));
  PrivateOnlineProcedure pop(snapped, std::move(factory), std::move(guarantee),
                             std::move(noise), std::move(stopper));
  SOTTO_TRY(pop.BeginPhase(true));
  return pop;
}

Result<PrivateOnlineProcedure> PrivateOnlineProcedure::Restarted() const {
  PrivateOnlineProcedure pop(params_, factory_, guarantee_, noise_,
                             fresh_stopper_);
  pop.mistake_stopper_ = mistake_stopper_;
  SOTTO_TRY(pop.BeginGenerations(true));
  return pop;
}

// Tables that the phase before had too are kept.
Status PrivateOnlineProcedure::PrepareNoise() {
  if (noise_rate_ != now().rate) {
    SOTTO_TRY_ASSIGN(auto noise, MakeNoise(now()));
    noise_ = std::move(noise);
    noise_rate_ = now().rate;
  }
  if (fresh_limit_ != now().reports) {
    SOTTO_TRY_ASSIGN(auto stopper,
                     MakeStopper(params_.schedule, now().reports));
    fresh_stopper_ = std::move(stopper);
    fresh_limit_ = now().reports;
  }
  stopper_ = fresh_stopper_;
  if (params_.schedule.mistakes == 0) return Ok();
  SOTTO_TRY_ASSIGN(auto mistakes,
                   MakeStopper(params_.schedule, params_.schedule.mistakes));
  mistake_stopper_ = std::move(mistakes);
  return Ok();
}

Status PrivateOnlineProcedure::BeginPhase(bool fresh) {
  SOTTO_TRY(PrepareNoise());
  return BeginGenerations(fresh);
}

// The ensembles of both generations are there before anything is given up: a
// failure leaves the old ones in place.
Status PrivateOnlineProcedure::BeginGenerations(bool fresh) {
  std::unique_ptr<Ensemble> first;
  if (fresh || waiting_ == nullptr) {
    SOTTO_TRY_ASSIGN(auto made, factory_(generation_, now().copies));
    first = std::move(made);
  }
  std::unique_ptr<Ensemble> second;
  if (standby()) {
    SOTTO_TRY_ASSIGN(auto made, factory_(generation_ + 1, next().copies));
    second = std::move(made);
  }
  active_ = first != nullptr ? std::move(first) : std::move(waiting_);
  waiting_ = std::move(second);
  phase_rounds_ = 0;
  new_mistakes_ = 0;
  return Ok();
}

// Tolerates the cause of the ended phase from now on: if wrong labels were the
// cause, they will continue. A function of the time of the handover.
Status PrivateOnlineProcedure::HandOverNow(bool too_many_mistakes) {
  if (params_.schedule.handover == PhaseEnd::kHalt) {
    halted_ = true;
    return Ok();
  }
  ++phase_;
  ++generation_;
  if (too_many_mistakes) {
    begun_ = phase_;
    if (standby()) ++generation_;  // the one that waited is not used
    const auto mistakes = static_cast<std::uint64_t>(params_.schedule.mistakes);
    tolerated_ += mistakes * PopPhase::kAllExamples / phase_rounds_ + 1;
    tolerated_ = std::min<std::uint64_t>(tolerated_, PopPhase::kAllExamples);
  }
  Status begun = BeginPhase(too_many_mistakes);
  if (!begun) broken_ = true;
  return begun;
}

std::int64_t PrivateOnlineProcedure::Allowed() const {
  const Uint128 tolerated = static_cast<Uint128>(tolerated_) * phase_rounds_;
  return now().allowed +
         static_cast<std::int64_t>(tolerated / PopPhase::kAllExamples);
}

PrivateOnlineProcedure::Draw PrivateOnlineProcedure::DrawRound(Rng& rng) {
  Draw draw;
  draw.share = rng.Next();
  draw.copy = rng.Next();
  draw.noise = noise_.Sample(rng);
  stopper_.Begin(rng);
  stopper_.DrawNoise(rng, std::span(&draw.stopper, 1));
  if (mistake_stopper_) {
    mistake_stopper_->Begin(rng);
    mistake_stopper_->DrawNoise(rng, std::span(&draw.mistakes, 1));
  }
  return draw;
}

// The generation and copy of a round: functions of the draw, the public clock
// and, if users are pinned, the public name.
std::pair<std::uint64_t, std::int64_t> PrivateOnlineProcedure::CopyFor(
    const Draw& draw, std::string_view user, std::uint64_t tick) const {
  const bool pinned = params_.schedule.pin_users && !user.empty();
  const std::uint64_t word = pinned ? NameHash(user) : draw.copy;
  const bool to_active = !standby() || tick < now().solo ||
                         (draw.share & kShareMask) < now().active_share;
  if (to_active) return {generation_, ChooseCopy(word, now().copies)};
  return {generation_ + 1, ChooseCopy(word, next().copies)};
}

PrivateOnlineProcedure::Answer PrivateOnlineProcedure::Decide(
    std::int64_t votes, const Draw& draw) const {
  const bool coin = (draw.share >> 63) != 0;
  const std::int64_t k = now().copies;
  if (params_.schedule.variant == PopVariant::kMajority) {
    const bool above = draw.noise - std::abs(k / 2 - votes) >= -k / 4;
    return {above ? coin : 2 * votes >= k, above};
  }
  const PopBand band = ComputeBand(now());
  const std::int64_t noisy = votes + draw.noise;
  const bool prediction = 2 * noisy == k ? coin : 2 * noisy > k;
  return {prediction, band.low < noisy && noisy < band.high};
}

Result<bool> PrivateOnlineProcedure::EndRound(bool paid, const Draw& draw) {
  ++rounds_;
  ++phase_rounds_;
  // Makes every check in every round, whatever the others return.
  bool over = stopper_.TickDrawn(paid ? 1 : 0, draw.stopper);
  bool too_many_mistakes = false;
  if (mistake_stopper_) {
    too_many_mistakes =
        mistake_stopper_->TickDrawn(new_mistakes_, draw.mistakes, Allowed());
    new_mistakes_ = 0;
  }
  over |= too_many_mistakes;
  over |= now().rounds != 0 && phase_rounds_ >= now().rounds;
  if (rounds_ >= kMaxRounds) halted_ = true;
  if (!over) return false;
  if (Status next = HandOverNow(too_many_mistakes); !next) {
    halted_ = true;
    return next.error();
  }
  return true;
}

Result<PrivateOnlineProcedure::Round> PrivateOnlineProcedure::Open(
    FeatureView x, std::string_view user, Rng& rng) {
  if (halted_) return Halted();
  const Draw draw = DrawRound(rng);
  const auto votes = active_->Votes(x);
  if (!votes) {
    halted_ = true;
    return votes.error();
  }
  Round round;
  round.answer = Decide(rng.Private("votes", *votes, 1), draw);
  round.phase = phase_;
  std::tie(round.generation, round.copy) = CopyFor(draw, user, phase_rounds_);
  round.x.assign(x.begin(), x.end());
  SOTTO_TRY(EndRound(round.answer.paid, Watched(round.answer.paid, draw, rng)));
  return round;
}

Status PrivateOnlineProcedure::PlayEmptyRound(Rng& rng) {
  if (halted_) return Halted();
  SOTTO_TRY(EndRound(false, Watched(false, DrawRound(rng), rng)));
  return Ok();
}

PrivateOnlineProcedure::Draw PrivateOnlineProcedure::Watched(bool paid,
                                                             Draw draw,
                                                             Rng& rng) const {
  draw.stopper = stopper_.Watched(paid ? 1 : 0, draw.stopper, rng);
  if (mistake_stopper_) {
    draw.mistakes =
        mistake_stopper_->Watched(new_mistakes_, draw.mistakes, rng);
  }
  return draw;
}

void PrivateOnlineProcedure::CountMistake(std::uint64_t phase, bool wrong) {
  if (wrong && phase == phase_) ++new_mistakes_;
}

Status PrivateOnlineProcedure::Teach(std::uint64_t generation,
                                     std::int64_t copy, FeatureView x, bool y) {
  if (halted_) return Ok();
  Ensemble* const learns = generation == generation_       ? active_.get()
                           : generation == generation_ + 1 ? waiting_.get()
                                                           : nullptr;
  if (learns == nullptr) return Ok();  // retired: the label is dropped
  if (copy < 0 || copy >= learns->copies()) {
    return InvalidArgument("the round belongs to another procedure");
  }
  return learns->Update(copy, x, y);
}

Status PrivateOnlineProcedure::Close(Round round, bool y) {
  CountMistake(round.phase, round.answer.prediction != y);
  Status taught = Teach(round.generation, round.copy, round.x, y);
  if (!taught) halted_ = true;
  return taught;
}

// The lessons of both generations: to each step the copy of the active one, or
// of the one that waits.
void PrivateOnlineProcedure::PrepareSteps(std::span<const Example> examples,
                                          std::span<const Draw> draws) {
  steps_.resize(examples.size());
  waiting_steps_.resize(examples.size());
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const Example& example = examples[i];
    const auto [generation, copy] = CopyFor(draws[i], {}, phase_rounds_ + i);
    const bool labelled = example.y.has_value();
    const bool to_active = generation == generation_;
    constexpr std::int64_t kNobody = Ensemble::Step::kNobody;
    steps_[i] = {example.x, labelled && to_active ? copy : kNobody,
                 example.y.value_or(false)};
    waiting_steps_[i] = {example.x, labelled && !to_active ? copy : kNobody,
                         example.y.value_or(false)};
  }
}

Result<std::size_t> PrivateOnlineProcedure::PlayDrawn(
    std::span<const Example> examples, std::span<const Draw> draws,
    std::span<Answer> answers) {
  if (halted_) return Halted();
  const std::uint64_t phase = phase_;
  // The standby generation. After a handover it is the active one, or gone.
  Ensemble* const waiting = waiting_.get();
  const std::uint64_t waits = generation_ + 1;
  PrepareSteps(examples, draws);
  votes_.resize(examples.size());
  Status status = active_->Play(steps_, votes_);
  std::size_t done = 0;
  while (status && done < examples.size() && !halted_ && phase == phase_) {
    const std::size_t i = done++;
    answers[i] = Decide(votes_[i], draws[i]);
    SOTTO_TRY(EndRound(answers[i].paid, draws[i]));
    if (!examples[i].y) continue;
    CountMistake(phase, answers[i].prediction != *examples[i].y);
  }
  // Play has taught the active generation; if it has just been retired, what it
  // learned ahead of time went with it.
  if (status && waiting != nullptr && waits >= generation_) {
    status = waiting->Teach(std::span(waiting_steps_).first(done));
  }
  if (!status) {
    halted_ = true;
    return status.error();
  }
  return done;
}

Result<std::size_t> PrivateOnlineProcedure::Play(
    std::span<const Example> examples, std::span<Answer> answers, Rng& rng) {
  std::array<std::uint64_t, 2 * kChunk> words;
  std::array<std::int64_t, kChunk> noise;
  std::array<std::int64_t, kChunk> checks;
  std::array<Draw, kChunk> draws;
  std::size_t done = 0;
  while (done < examples.size() && !halted_) {
    const std::size_t size = std::min(kChunk, examples.size() - done);
    rng.Fill(std::span(words).first(2 * size));
    noise_.Fill(rng, std::span(noise).first(size));
    stopper_.Begin(rng);
    stopper_.DrawNoise(rng, std::span(checks).first(size));
    for (std::size_t i = 0; i < size; ++i) {
      draws[i] = {.share = words[2 * i],
                  .copy = words[2 * i + 1],
                  .noise = noise[i],
                  .stopper = checks[i]};
    }
    if (mistake_stopper_) {
      mistake_stopper_->Begin(rng);
      mistake_stopper_->DrawNoise(rng, std::span(checks).first(size));
      for (std::size_t i = 0; i < size; ++i) draws[i].mistakes = checks[i];
    }
    SOTTO_TRY_ASSIGN(const auto played, PlayDrawn(examples.subspan(done, size),
                                                  std::span(draws).first(size),
                                                  answers.subspan(done, size)));
    done += played;
  }
  return done;
}

}  // namespace sotto
