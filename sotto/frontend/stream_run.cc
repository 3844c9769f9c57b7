#include "sotto/frontend/stream_run.h"

#include <algorithm>
#include <new>
#include <span>
#include <utility>

#include "sotto/frontend/answer_text.h"
#include "sotto/frontend/session_state.h"

namespace sotto {
namespace {

// A vote is looked at after every 1/64 of the way more.
constexpr std::uint64_t kSampleStep = 64;

}  // namespace

StreamRun::StreamRun(Session& session, Parts parts,
                     const volatile std::sig_atomic_t* stop)
    : session_(session),
      parts_(std::move(parts)),
      keeper_({.held = parts_.state,
               .every = parts_.save_every,
               .state = [this] { return SaveState(session_); },
               .release = [this] { return Release(); }}),
      stop_(stop),
      pending_(session.preferred_batch_size()),
      next_sample_(session.rounds()) {
  session_.Watch([this](const Round& round) { Record(round); });
}

bool StreamRun::Fail(Of of, const Error& error) {
  if (!failure_) failure_ = RunFailure{of, error};
  return false;
}

Status StreamRun::Release() {
  Status released = parts_.release();
  if (!released) Fail(Of::kOutput, released.error());
  return released;
}

bool StreamRun::Kept(const Status& status) {
  return status ? true : Fail(Of::kState, status.error());
}

void StreamRun::PlayAll(ExampleReader& reader) {
  while (!failure_ && !ended_ && !session_.halted() && *stop_ == 0) {
    if (!Read(reader)) break;
    if (count_ == pending_.size() || count_ >= keeper_.MostAtOnce()) {
      PlayPending();
    }
  }
  PlayPending();
}

std::optional<RunFailure> StreamRun::Run(ExampleReader& reader) {
  // On disk before the first answer: what was answered under a key that is
  // lost could only be answered again under another, at the cost of epsilon.
  if (!Kept(keeper_.Begin())) return failure_;
  try {
    PlayAll(reader);
  } catch (const std::bad_alloc&) {
    Fail(Of::kModel, Unavailable("there is not enough memory"));
  }
  if (failure_ && failure_->of == Of::kModel) {
    failure_->error.message =
        reader.position() + ": " + failure_->error.message;
  }
  // A model that failed has no state.
  if (!failure_ || failure_->of != Of::kModel) Kept(keeper_.End());
  if (failure_ && failure_->of == Of::kModel) static_cast<void>(Release());
  // A reader who left may have seen any part of the answers.
  if (parts_.predictions != nullptr && parts_.predictions->closed()) {
    Kept(keeper_.Save());
  }
  return failure_;
}

// False at the end and after a failed read. A bad row is an empty round, so
// that the reader has to skip bad rows.
bool StreamRun::Read(ExampleReader& reader) {
  const std::size_t slot = count_;
  const auto more = reader.Next(pending_[slot]);
  // If the input paused, what was pending has been played.
  if (slot != count_) std::swap(pending_[slot], pending_[count_]);
  if (!more) return Fail(Of::kInput, more.error());
  ended_ = !*more;
  if (ended_) return false;
  ++count_;
  return true;
}

Status StreamRun::Pause(const std::function<bool(int)>& waits) {
  if (PlayPending() && Kept(keeper_.Pause(waits))) return Ok();
  return failure_->error;
}

// A failure of the model or of an output ends everything; one of the input
// does not undo what was read before it.
bool StreamRun::PlayPending() {
  const std::size_t size = std::exchange(count_, 0);
  if (failure_ && failure_->of != Of::kInput) return false;
  auto rest = std::span(pending_).first(size);
  while (!rest.empty() && !session_.halted()) {
    const auto now =
        rest.first(std::min<std::uint64_t>(keeper_.MostAtOnce(), rest.size()));
    if (parts_.sample_votes) SampleVotes(now);
    if (!Kept(keeper_.Expect(now.size()))) return false;
    const auto played = session_.Play(now);
    if (!played) return Fail(Of::kModel, played.error());
    rest = rest.subspan(*played);
    if (!Kept(keeper_.Answered(*played))) return false;
  }
  return true;
}

// All rounds of a batch are looked at as it begins: near enough for a picture.
void StreamRun::SampleVotes(std::span<const Round> rounds) {
  std::uint64_t number = session_.rounds();
  for (const Round& round : rounds) {
    ++number;
    if (number <= next_sample_) continue;
    if (round.present()) {
      const auto share = session_.VoteShare(round.x);
      if (share) votes_.push_back({number, *share});
    }
    next_sample_ = number + number / kSampleStep;
  }
}

void StreamRun::Record(const Round& round) {
  if (parts_.each) parts_.each(round);
  if (parts_.predictions == nullptr) return;
  if (failure_ && failure_->of == Of::kOutput) return;
  parts_.predictions->Text(
      AnswerText(round, session_.inputs().label, parts_.probabilities));
  if (const Status ended = parts_.predictions->EndLine(); !ended) {
    Fail(Of::kOutput, ended.error());
  }
}

}  // namespace sotto
