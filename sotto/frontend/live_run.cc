#include "sotto/frontend/live_run.h"

#include <new>
#include <utility>

#include "sotto/frontend/session_state.h"

namespace sotto {
namespace {

using Of = RunFailure::Of;

// The size of a commit, unless --save-every says less.
constexpr std::uint64_t kMostLines = 256;
constexpr std::size_t kMostBytes = std::size_t{1} << 20;

Error NotEnoughMemory() { return Unavailable("there is not enough memory"); }

}  // namespace

LiveRun::LiveRun(Session& session, LiveLines& lines, Parts parts)
    : session_(session),
      talk_(session, lines),
      parts_(std::move(parts)),
      keeper_({.held = parts_.state,
               .every = parts_.save_every,
               .state = [this] { return SaveState(session_); },
               .release = [this] { return Release(); }}) {}

std::optional<RunFailure> LiveRun::Run(LineReader& in,
                                       const volatile std::sig_atomic_t* stop) {
  try {
    if (parts_.journal == nullptr && !Kept(keeper_.Begin())) return failure_;
    PlayAll(in, stop);
    End();
  } catch (const std::bad_alloc&) {
    Fail(Of::kModel, NotEnoughMemory());
  }
  return failure_;
}

void LiveRun::PlayAll(LineReader& in, const volatile std::sig_atomic_t* stop) {
  while (!failure_ && !session_.halted() && *stop == 0) {
    const auto line = in.Next();
    if (!line) break;
    Take(*line, in.cut());
  }
  if (!failure_ && !in.status()) Fail(Of::kInput, in.status().error());
}

void LiveRun::Take(std::string_view line, bool cut) {
  if (parts_.journal != nullptr) {
    parts_.journal->Add(line, cut);
    const std::uint64_t most =
        parts_.save_every == 0 ? kMostLines : parts_.save_every;
    const bool full = parts_.journal->waiting() >= most ||
                      parts_.journal->waiting_bytes() >= kMostBytes;
    if (full) Commit();
    return;
  }
  const auto answer = Answer(line, cut);
  if (!answer) {
    Fail(Of::kModel, answer.error());
    return;
  }
  parts_.out->Text(*answer);
  parts_.out->Text("\n");
  Kept(keeper_.Answered(1));
}

void LiveRun::Commit() {
  const auto replies = parts_.journal->Commit();
  if (!replies) {
    Fail(parts_.journal->model_failed() ? Of::kModel : Of::kState,
         replies.error());
    return;
  }
  parts_.out->Text(*replies);
  static_cast<void>(Release());
}

void LiveRun::End() {
  const auto failed_as = [this](Of of) {
    return failure_ && failure_->of == of;
  };
  if (parts_.journal == nullptr) {
    if (!failed_as(Of::kModel)) Kept(keeper_.End());
    if (failed_as(Of::kModel)) static_cast<void>(Release());
    return;
  }
  if (!failure_ || failed_as(Of::kInput)) Commit();
  // Otherwise the journal stays, and the next run begins with it.
  if (!failed_as(Of::kModel) && !failed_as(Of::kState)) {
    Kept(parts_.journal->Finish());
  }
}

Result<std::string> LiveRun::Answer(std::string_view line, bool cut) {
  try {
    return talk_.Answer(line, cut);
  } catch (const std::bad_alloc&) {
    return NotEnoughMemory();
  }
}

Status LiveRun::Pause(const std::function<bool(int)>& waits) {
  if (parts_.journal != nullptr) {
    Commit();
  } else {
    Kept(keeper_.Pause(waits));
  }
  return failure_ ? Status(failure_->error) : Ok();
}

bool LiveRun::Fail(Of of, const Error& error) {
  if (!failure_) failure_ = RunFailure{of, error};
  return false;
}

bool LiveRun::Kept(const Status& status) {
  return status ? true : Fail(Of::kState, status.error());
}

Status LiveRun::Release() {
  Status released = parts_.out->Flush();
  if (!released) Fail(Of::kOutput, released.error());
  if (released && parts_.replied) parts_.replied();
  return released;
}

}  // namespace sotto
