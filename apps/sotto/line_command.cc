#include "line_command.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <new>
#include <utility>

#include "command.h"
#include "interrupt.h"
#include "sotto/data/files/state_keeper.h"
#include "sotto/frontend/line_mechanisms.h"

namespace sotto::app {
namespace {

constexpr std::uint64_t kLinesPerClockLook = 1 << 12;
constexpr std::uint64_t kLinesPerNote = 1 << 8;  // fewer than a write has
constexpr auto kProgressPeriod = std::chrono::milliseconds(250);

// A line on a terminal that says how far the run is.
class ProgressLine {
 public:
  explicit ProgressLine(const Settings& settings)
      : shown_(settings.Flag("progress") ||
               (!settings.Flag("quiet") && ::isatty(STDERR_FILENO) != 0)),
        horizon_(settings.GetInt("horizon")) {}
  ~ProgressLine() {
    if (printed_) std::fputs("\r\033[K", stderr);
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Update(std::uint64_t lines) {
    if (!shown_ || lines % kLinesPerClockLook != 0) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kProgressPeriod) return;
    last_ = now;
    printed_ = true;
    std::fprintf(stderr, "\r%llu lines",
                 static_cast<unsigned long long>(lines));
    if (horizon_ > 0) {
      std::fprintf(stderr, " of at most %llu",
                   static_cast<unsigned long long>(horizon_));
    }
  }

 private:
  bool shown_;
  std::uint64_t horizon_;
  bool printed_ = false;
  std::chrono::steady_clock::time_point last_{};
};

// One pass over standard input, with the state on disk in step.
class Lines {
 public:
  Lines(const LineStart& start, const LineRun& run)
      : start_(start),
        run_(run),
        stop_(CatchInterrupts()),
        out_(STDOUT_FILENO, stop_),
        keeper_({.held = start.states.saved.get(),
                 .every = start.settings.GetInt("save-every"),
                 .state = [this] { return State(); },
                 .release = [this] { return out_.Flush(); }}),
        place_(run.rng->key()),
        lines_(start.lines) {}

  // Returns the exit code.
  int Run() {
    if (const Status begun = keeper_.Begin(); !begun) {
      return Report(begun.error());
    }
    const Status answered = AnswerWithin();
    const Status ended = keeper_.End();
    // A reader that has gone or stalled may have seen any part of the answers:
    // the state covers them all.
    const bool cut = out_.closed() || *stop_ != 0;
    const Status saved = cut ? keeper_.Save() : Ok();
    int exit_code = kDone;
    const auto note = [&exit_code](const Status& status) {
      if (status) return;
      const int failed = Report(status.error());
      if (exit_code == kDone) exit_code = failed;
    };
    if (*stop_ != 0) {
      note(Unavailable(kInterrupted));
    } else if (!out_.closed()) {  // A reader that leaves has seen enough.
      note(answered);
      note(ended);
    }
    note(saved);
    if (exit_code != kDone) SayWhatIsCovered();
    return exit_code;
  }

  bool answered_any() const { return lines_ > start_.lines; }

 private:
  SavedState State() {
    ByteWriter mechanism;
    run_.save(mechanism);
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
        stop_);
    ProgressLine progress(start_.settings);
    while (!run_.ended()) {
      const auto line = in.Next();
      if (!line) break;
      // A line may go out with those before it, as soon as there are many.
      if (lines_ % kLinesPerNote == 0) {
        SOTTO_TRY(keeper_.Expect(kLinesPerNote));
      }
      if (Status status = run_.answer(*line, out_); !status) {
        return Error{status.error().code, "standard input, line " +
                                              std::to_string(in.line_number()) +
                                              ": " + status.error().message};
      }
      place_ = run_.rng->key();
      ++lines_;
      SOTTO_TRY(out_.EndLine());
      SOTTO_TRY(keeper_.Answered(1));
      progress.Update(lines_);
    }
    if (in.status() || !paused_) return paused_;
    return Error{in.status().error().code,
                 "standard input: " + in.status().error().message};
  }

  void SayWhatIsCovered() const {
    const std::string& path = start_.settings.Text("save");
    if (path.empty()) return;
    const std::uint64_t covered = start_.lines + keeper_.saved();
    Report({ErrorCode::kUnavailable, path + " covers the first " +
                                         std::to_string(covered) +
                                         " lines: go on with the next"});
  }

  const LineStart& start_;
  const LineRun& run_;
  const volatile std::sig_atomic_t* stop_;
  LineWriter out_;
  StateKeeper keeper_;
  Key place_;  // of the noise, after the last line that was answered
  std::uint64_t lines_;
  Status paused_ = Ok();
};

void PrivacyStatement(const LineStart& start, const LineRun& run) {
  if (start.seeded) {
    std::fprintf(stderr,
                 "NOT PRIVATE: a seed makes the noise known to anyone; it is "
                 "for experiments only.\n");
  }
  if (start.settings.Flag("quiet")) return;
  const auto user = UserPromise(start.settings, run.guarantee);
  const std::string promise = user ? user->Describe() : user.error().message;
  std::fprintf(
      stderr, "%s\n%s%s\n", run.expectation().c_str(),
      start.seeded ? "Without the seed: " : "Privacy: ", promise.c_str());
}

}  // namespace

int RunLines(const LineStart& start, const LineRun& run) {
  if (start.mark)
    Warn(UncleanEndWarning(start.states.loaded->path(), *start.mark));
  Lines lines(start, run);
  const int exit_code = lines.Run();
  if (exit_code == kDone || lines.answered_any()) PrivacyStatement(start, run);
  return exit_code;
}

}  // namespace sotto::app
