#include "sotto/frontend/line_run.h"

#include <unistd.h>

#include <new>
#include <string>

#include "sotto/data/files/state_keeper.h"
#include "sotto/data/streams/line_io.h"

namespace sotto {
namespace {

constexpr std::uint64_t kLinesPerNote = 1 << 8;  // fewer than a write has

// One pass over standard input, with the state on disk in step.
class Lines {
 public:
  Lines(const LineStart& start, const LineRun& run)
      : start_(start),
        run_(run),
        json_end_(start.settings.Flag("json") ? JsonEnd(start) : ""),
        out_(STDOUT_FILENO, run.stop),
        keeper_({.held = start.states.saved.get(),
                 .every = start.settings.GetInt("save-every"),
                 .state = [this] { return State(); },
                 .release = [this] { return out_.Flush(); }}),
        place_(run.rng.key()),
        lines_(start.lines) {}

  Result<LineOutcome> Run() {
    SOTTO_TRY(keeper_.Begin());
    LineOutcome outcome{.answered = AnswerWithin(), .kept = keeper_.End()};
    outcome.reader_left = out_.closed();
    // A reader that has gone or stalled may have seen any part of the answers:
    // the state covers them all.
    if (out_.closed() || *run_.stop != 0) outcome.saved = keeper_.Save();
    outcome.lines = lines_ - start_.lines;
    outcome.covered = start_.lines + keeper_.saved();
    return outcome;
  }

 private:
  SavedState State() {
    ByteWriter mechanism;
    run_.mechanism.Save(mechanism);
    return LineState(start_, run_.kind, place_, lines_, mechanism.bytes());
  }

  Status AnswerWithin() {
    try {
      return Answer();
    } catch (const std::bad_alloc&) {
      return Unavailable("there is not enough memory");
    }
  }

  Status Answer() {
    LineReader in(
        STDIN_FILENO,
        [this](const StillWaits& waits) {
          return paused_ = keeper_.Pause(waits);
        },
        run_.stop);
    while (!run_.mechanism.ended()) {
      const auto line = in.Next();
      if (!line) break;
      // A line may go out with those before it, as soon as there are many.
      if (lines_ % kLinesPerNote == 0) {
        SOTTO_TRY(keeper_.Expect(kLinesPerNote));
      }
      if (Status status =
              run_.mechanism.Answer(*line, json_end_, run_.rng, out_);
          !status) {
        return Error{status.error().code, "standard input, line " +
                                              std::to_string(in.line_number()) +
                                              ": " + status.error().message};
      }
      place_ = run_.rng.key();
      ++lines_;
      SOTTO_TRY(out_.EndLine());
      SOTTO_TRY(keeper_.Answered(1));
      run_.progress(lines_);
    }
    if (in.status() || !paused_) return paused_;
    return Error{in.status().error().code,
                 "standard input: " + in.status().error().message};
  }

  const LineStart& start_;
  const LineRun& run_;
  std::string_view json_end_;
  LineWriter out_;
  StateKeeper keeper_;
  Key place_;  // of the noise, after the last line that was answered
  std::uint64_t lines_;
  Status paused_ = Ok();
};

}  // namespace

Result<LineOutcome> RunLines(const LineStart& start, const LineRun& run) {
  return Lines(start, run).Run();
}

}  // namespace sotto
