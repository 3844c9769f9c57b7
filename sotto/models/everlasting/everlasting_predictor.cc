#include "sotto/models/everlasting/everlasting_predictor.h"

#include <string>

#include "sotto/base/int128.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"

namespace sotto {
namespace {

// Uniform on [0, size) up to size / 2^64; no data enters, so the bias costs no
// privacy.
std::int64_t Scaled(std::uint64_t word, std::int64_t size) {
  return static_cast<std::int64_t>(
      High64(static_cast<Uint128>(word) * static_cast<std::uint64_t>(size)));
}

Result<FixedWorkLaplace> MakeNoise(const EverlastingPhase& phase) {
  return FixedWorkLaplace::Create(ExactRate(phase.rate));
}

// None for a phase in which every round is paid for.
Result<std::optional<Stopper>> MakeStopper(const EverlastingPhase& phase,
                                           double epsilon) {
  if (phase.paid()) return std::optional<Stopper>();
  SOTTO_TRY_ASSIGN(auto stopper, Stopper::Create({.epsilon = epsilon,
                                                  .limit = phase.reports}));
  return std::optional<Stopper>(std::move(stopper));
}

Error Precondition(const std::string& what) {
  return {ErrorCode::kFailedPrecondition, what};
}

}  // namespace

Result<EverlastingPredictor> EverlastingPredictor::Create(
    EverlastingSchedule schedule, EnsembleFactory factory) {
  SOTTO_TRY_ASSIGN(const auto first, schedule.At(0));
  SOTTO_TRY_ASSIGN(auto noise, MakeNoise(first));
  SOTTO_TRY_ASSIGN(auto teachers, factory(0, first.teachers));
  EverlastingPredictor predictor(std::move(schedule), std::move(factory),
                                 std::move(noise));
  SOTTO_TRY(predictor.BeginPhase(std::move(teachers)));
  return predictor;
}

Status EverlastingPredictor::BeginPhase(std::unique_ptr<Ensemble> active) {
  SOTTO_TRY_ASSIGN(const auto now, schedule_.At(phase_));
  SOTTO_TRY_ASSIGN(auto noise, MakeNoise(now));
  SOTTO_TRY_ASSIGN(auto stopper, MakeStopper(now, schedule_.params().stopper));
  // Without a next phase this one is the last, and its answers teach no one.
  const auto next = schedule_.At(phase_ + 1);
  std::unique_ptr<Ensemble> waiting;
  if (next) {
    SOTTO_TRY_ASSIGN(auto made, factory_(phase_ + 1, next->teachers));
    waiting = std::move(made);
    next_ = *next;
  }
  now_ = now;
  band_ = ComputeBand(now_);
  noise_ = std::move(noise);
  stopper_ = std::move(stopper);
  active_ = std::move(active);
  waiting_ = std::move(waiting);
  phase_rounds_ = 0;
  return Ok();
}

Status EverlastingPredictor::Fail(const Error& error) {
  halted_ = true;
  return error;
}

Status EverlastingPredictor::Train(FeatureView x, std::optional<bool> y,
                                   Rng& rng) {
  if (rounds_ > 0 || halted_) {
    return Precondition("the labelled set comes before the first round");
  }
  ++labelled_;
  // Drawn for every place, used or not: the chunks of the others must not
  // depend on it.
  const std::int64_t chunk = Scaled(rng.Next(), now_.teachers);
  if (!y) return Ok();
  Status taught = active_->Update(chunk, x, *y);
  return taught ? taught : Fail(taught.error());
}

EverlastingPredictor::Draw EverlastingPredictor::DrawRound(Rng& rng) {
  Draw draw;
  draw.chunk = rng.Next();
  draw.noise = noise_.Sample(rng);
  if (stopper_) {
    stopper_->Begin(rng);
    stopper_->DrawNoise(rng, std::span(&draw.stopper, 1));
  }
  return draw;
}

EverlastingPredictor::Answer EverlastingPredictor::Decide(
    std::int64_t votes, const Draw& draw) const {
  const std::int64_t noisy = votes + draw.noise;
  return {2 * noisy > now_.teachers,
          now_.paid() || (band_.low < noisy && noisy < band_.high)};
}

Status EverlastingPredictor::EndRound(bool paid, const Draw& draw) {
  ++rounds_;
  ++phase_rounds_;
  // In every round, empty or not.
  const bool spent =
      stopper_ && stopper_->TickDrawn(paid ? 1 : 0, draw.stopper);
  if (!spent && phase_rounds_ < now_.rounds) return Ok();
  if (waiting_ == nullptr) {
    halted_ = true;
    return Ok();
  }
  ++phase_;
  Status begun = BeginPhase(std::move(waiting_));
  return begun ? begun : Fail(begun.error());
}

Result<EverlastingPredictor::Answer> EverlastingPredictor::Open(FeatureView x,
                                                                Rng& rng) {
  Draw draw = DrawRound(rng);
  if (rng.watched()) {
    SOTTO_TRY(Watch(x, draw, rng));
  }
  Answer answer;
  SOTTO_TRY(
      PlayDrawn(std::span(&x, 1), std::span(&draw, 1), std::span(&answer, 1)));
  return answer;
}

Status EverlastingPredictor::PlayEmptyRound(Rng& rng) {
  if (halted_) return Precondition("the predictor has halted");
  Draw draw = DrawRound(rng);
  if (stopper_) draw.stopper = stopper_->Watched(0, draw.stopper, rng);
  return EndRound(false, draw);
}

Status EverlastingPredictor::Watch(FeatureView x, Draw& draw, Rng& rng) {
  SOTTO_TRY_ASSIGN(const auto votes, active_->Votes(x));
  draw.noise += rng.Private("votes", votes, 1) - votes;
  if (!stopper_) return Ok();
  const bool paid = Decide(votes, draw).paid;
  draw.stopper = stopper_->Watched(paid ? 1 : 0, draw.stopper, rng);
  return Ok();
}

Result<std::size_t> EverlastingPredictor::PlayDrawn(
    std::span<const FeatureView> queries, std::span<const Draw> draws,
    std::span<Answer> answers) {
  if (halted_) return Precondition("the predictor has halted");
  const std::uint64_t phase = phase_;
  steps_.clear();
  for (const FeatureView x : queries) steps_.push_back({.x = x});
  votes_.resize(queries.size());
  // The teachers that answer learn nothing any more.
  Status status = active_->Play(steps_, votes_);
  std::size_t done = 0;
  while (status && done < queries.size() && !halted_ && phase == phase_) {
    const std::size_t i = done++;
    answers[i] = Decide(votes_[i], draws[i]);
    // A medium answer is close to a coin toss: no teacher learns from it. A
    // round is kept depending on its zone, which is paid for (step 4). Where
    // every round is paid for, every one is kept.
    if (waiting_ != nullptr && (now_.paid() || !answers[i].paid)) {
      status = waiting_->Update(Scaled(draws[i].chunk, next_.teachers),
                                queries[i], answers[i].prediction);
    }
    if (status) status = EndRound(answers[i].paid, draws[i]);
  }
  if (!status) return Fail(status.error()).error();
  return done;
}

}  // namespace sotto
