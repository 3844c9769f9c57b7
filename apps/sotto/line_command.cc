#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "command.h"
#include "commands.h"
#include "interrupt.h"
#include "sotto/frontend/line_mechanisms.h"
#include "sotto/frontend/line_run.h"

namespace sotto::app {
namespace {

constexpr std::uint64_t kLinesPerClockLook = 1 << 12;
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

void PrivacyStatement(const LineStart& start, const LineMechanism& mechanism) {
  if (start.seeded) {
    std::fprintf(stderr,
                 "NOT PRIVATE: a seed makes the noise known to anyone; it is "
                 "for experiments only.\n");
  }
  if (start.settings.Flag("quiet")) return;
  const auto user = UserPromise(start.settings, mechanism.guarantee());
  const std::string promise = user ? user->Describe() : user.error().message;
  std::fprintf(
      stderr, "%s\n%s%s\n", mechanism.Describe().c_str(),
      start.seeded ? "Without the seed: " : "Privacy: ", promise.c_str());
}

// Reports whatever went wrong. Returns the exit code.
int Finish(const LineStart& start, const LineOutcome& outcome) {
  int exit_code = kDone;
  const auto note = [&exit_code](const Status& status) {
    if (status) return;
    const int failed = Report(status.error());
    if (exit_code == kDone) exit_code = failed;
  };
  if (*StopFlag() != 0) {
    note(Unavailable(kInterrupted));
  } else if (!outcome.reader_left) {  // A reader that leaves has seen enough.
    note(outcome.answered);
    note(outcome.kept);
  }
  note(outcome.saved);
  const std::string& path = start.settings.Text("save");
  if (exit_code != kDone && !path.empty()) {
    Report(Unavailable(path + " covers the first " +
                       std::to_string(outcome.covered) +
                       " lines: go on with the next"));
  }
  return exit_code;
}

Result<LineOutcome> RunWithProgress(const LineStart& start,
                                    LineMechanism& mechanism,
                                    std::string_view kind, HistoryRng& rng) {
  ProgressLine progress(start.settings);
  return RunLines(start, {.kind = kind,
                          .mechanism = mechanism,
                          .rng = rng,
                          .stop = CatchInterrupts(),
                          .progress = [&progress](std::uint64_t lines) {
                            progress.Update(lines);
                          }});
}

int Run(const LineTool& tool, const Settings& said) {
  const bool data = FindOption(said.table(), "data") != nullptr;
  const auto start = StartLines(said, tool.name, data ? said.Text("data") : "");
  if (!start) return Report(start.error());
  HistoryRng rng(start->key);
  const auto mechanism = tool.make(*start, rng);
  if (!mechanism) return Report(mechanism.error());
  if (start->mark) {
    Warn(UncleanEndWarning(start->states.loaded->path(), *start->mark));
  }
  const auto outcome = RunWithProgress(*start, **mechanism, tool.name, rng);
  if (!outcome) return Report(outcome.error());
  const int exit_code = Finish(*start, *outcome);
  if (exit_code == kDone || outcome->lines > 0) {
    PrivacyStatement(*start, **mechanism);
  }
  return exit_code;
}

}  // namespace

Command LineCommand(std::string_view name) {
  const LineTool& tool = *std::ranges::find(LineTools(), name, &LineTool::name);
  return {.name = std::string(name),
          .help = std::string(tool.help),
          .footer = std::string(tool.footer),
          .options = tool.options,
          .call = [&tool](const Settings& settings) {
            return Run(tool, settings);
          }};
}

}  // namespace sotto::app
