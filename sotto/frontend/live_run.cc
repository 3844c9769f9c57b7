#include "sotto/frontend/live_run.h"

#include <new>

#include "sotto/frontend/session_state.h"

namespace sotto {
namespace {

using Of = RunFailure::Of;

}  // namespace

LiveRun::LiveRun(Session& session, LiveLines& lines, Parts parts)
    : session_(session),
      talk_(session, lines),
      parts_(parts),
      keeper_({.held = parts_.state,
               .every = parts_.save_every,
               .state = [this] { return SaveState(session_); },
               .release = [this] { return Release(); }}) {}

std::optional<RunFailure> LiveRun::Run(LineReader& in,
                                       const volatile std::sig_atomic_t* stop) {
  if (!Kept(keeper_.Begin())) return failure_;
  while (!failure_ && !session_.halted() && *stop == 0) {
    const auto line = in.Next();
    if (!line) break;
    const auto answer = Answer(*line, in.cut());
    if (!answer) {
      Fail(Of::kModel, answer.error());
      break;
    }
    parts_.out->Text(*answer);
    parts_.out->Text("\n");
    Kept(keeper_.Answered(1));
  }
  if (!failure_ && !in.status()) Fail(Of::kInput, in.status().error());
  if (!failure_ || failure_->of != Of::kModel) Kept(keeper_.End());
  if (failure_ && failure_->of == Of::kModel) static_cast<void>(Release());
  return failure_;
}

Result<std::string> LiveRun::Answer(std::string_view line, bool cut) {
  try {
    return talk_.Answer(line, cut);
  } catch (const std::bad_alloc&) {
    return Unavailable("there is not enough memory");
  }
}

Status LiveRun::Pause(const std::function<bool(int)>& waits) {
  if (Kept(keeper_.Pause(waits))) return Ok();
  return failure_->error;
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
  return released;
}

}  // namespace sotto
