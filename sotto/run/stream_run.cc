#include "sotto/run/stream_run.h"

#include <algorithm>
#include <span>
#include <utility>

#include "sotto/run/answer_text.h"

namespace sotto {
namespace {

// A vote is looked at after every 1/64 of the way more.
constexpr std::uint64_t kSampleStep = 64;

}  // namespace

StreamRun::StreamRun(Session& session, Parts parts,
                     const volatile std::sig_atomic_t* stop)
    : session_(session),
      parts_(std::move(parts)),
      stop_(stop),
      pending_(session.best_batch()),
      next_sample_(session.rounds()) {
  session_.Watch([this](const Round& round) { Record(round); });
}

bool StreamRun::Fail(Of of, const Error& error) {
  if (!failure_) failure_ = RunFailure{of, error};
  return false;
}

std::optional<RunFailure> StreamRun::Run(ExampleReader& reader) {
  // On disk before the first answer: what was answered under a key that is
  // lost could only be answered again under another, at the cost of epsilon.
  if (!SaveNow()) return failure_;
  while (!failure_ && !ended_ && !session_.halted() && *stop_ == 0) {
    if (!Read(reader)) break;
    const auto room = parts_.saver == nullptr
                          ? pending_.size()
                          : parts_.saver->Room(session_.rounds());
    if (count_ == pending_.size() || count_ >= room) PlayPending();
  }
  PlayPending();
  // A model that failed has no state, and a state must not know of predictions
  // that could not be written.
  if (!failure_ || failure_->of == Of::kRow || failure_->of == Of::kInput) {
    SaveAndFlush();
  }
  return failure_;
}

// No answer may be out that no state knows of, as far as that can be had; and
// no state may know of lines that a file lacks.
bool StreamRun::SaveAndFlush() {
  if (parts_.predictions_at_once) return SaveNow() && Flush();
  return Flush() && SaveNow();
}

// False at the end and after a row that cannot be read.
bool StreamRun::Read(ExampleReader& reader) {
  const std::size_t slot = count_;
  const auto more = reader.Next(pending_[slot]);
  // If the input paused, what was pending has been played.
  if (slot != count_) std::swap(pending_[slot], pending_[count_]);
  if (!more) {
    return Fail(reader.can_go_on() ? Of::kRow : Of::kInput, more.error());
  }
  ended_ = !*more;
  if (ended_) return false;
  ++count_;
  return true;
}

Status StreamRun::Pause() {
  if (PlayPending() && Flush()) return Ok();
  return failure_->error;
}

// A failure of the model or of an output ends everything; one of the input
// does not undo what was read before it.
bool StreamRun::PlayPending() {
  const std::size_t size = std::exchange(count_, 0);
  if (failure_ && failure_->of != Of::kRow && failure_->of != Of::kInput) {
    return false;
  }
  auto rest = std::span(pending_).first(size);
  while (!rest.empty() && !session_.halted()) {
    const std::uint64_t room = parts_.saver == nullptr
                                   ? rest.size()
                                   : parts_.saver->Room(session_.rounds());
    const auto now = rest.first(std::min<std::uint64_t>(room, rest.size()));
    if (parts_.sample_votes) SampleVotes(now);
    const auto played = session_.Play(now);
    if (!played) return Fail(Of::kModel, played.error());
    rest = rest.subspan(*played);
    if (parts_.saver != nullptr && parts_.saver->Due(session_.rounds())) {
      if (!SaveAndFlush()) return false;
    }
  }
  return !failure_;
}

bool StreamRun::Flush() {
  if (parts_.predictions == nullptr) return true;
  const Status flushed = parts_.predictions->Flush();
  return flushed ? true : Fail(Of::kOutput, flushed.error());
}

bool StreamRun::SaveNow() {
  if (parts_.saver == nullptr) return true;
  const Status saved = parts_.saver->Save(session_);
  return saved ? true : Fail(Of::kState, saved.error());
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
  if (parts_.predictions == nullptr || failure_) return;
  parts_.predictions->Text(
      AnswerText(round, session_.inputs().label, parts_.probabilities));
  if (const Status ended = parts_.predictions->EndLine(); !ended) {
    Fail(Of::kOutput, ended.error());
  }
}

}  // namespace sotto
