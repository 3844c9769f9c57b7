#include "line_command.h"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <utility>

#include "command.h"
#include "interrupt.h"
#include "noise_key.h"
#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/rounding.h"
#include "sotto/files/state_file.h"

namespace sotto::app {
namespace {

constexpr std::uint32_t kStateVersion = 1;
constexpr std::uint64_t kLinesPerClockLook = 1 << 12;
constexpr auto kProgressPeriod = std::chrono::milliseconds(250);

// A line on a terminal that says how far the run is.
class ProgressLine {
 public:
  explicit ProgressLine(const LineFlags& flags)
      : shown_(flags.progress ||
               (!flags.quiet && ::isatty(STDERR_FILENO) != 0)),
        horizon_(flags.horizon) {}
  ~ProgressLine() {
    if (printed_) std::fputs("\r\033[K", stderr);
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Tick(std::uint64_t lines) {
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

void PrivacyStatement(const LineFlags& flags, bool seeded,
                      const Guarantee& guarantee,
                      const std::string& expectation) {
  const auto user = flags.rounds_per_user > 1
                        ? UserLevel(guarantee, flags.rounds_per_user)
                        : Result<Guarantee>(guarantee);
  const std::string promise = user ? user->Describe() : user.error().message;
  if (seeded) {
    std::fprintf(stderr,
                 "NOT PRIVATE: a seed makes the noise known to anyone; it is "
                 "for experiments only.\n");
  }
  if (flags.quiet) return;
  std::fprintf(stderr, "%s\n%s%s\n", expectation.c_str(),
               seeded ? "Without the seed: " : "Privacy: ", promise.c_str());
}

Status SaveState(const LineFlags& flags, const LineStart& start,
                 const LineRun& run, std::uint64_t lines) {
  if (flags.save.empty()) return Ok();
  ByteWriter mechanism;
  run.save(mechanism);
  ByteWriter payload;
  payload.Text(run.settings);
  const auto key = run.rng->key().bytes();
  payload.Text({reinterpret_cast<const char*>(key.data()), key.size()});
  payload.Number(static_cast<std::uint8_t>(start.seeded ? 1 : 0));
  payload.Number(lines);
  payload.Text(mechanism.bytes());
  return WriteStateFile(
      flags.save, {std::string(run.kind), kStateVersion, payload.bytes()});
}

struct Answered {
  std::uint64_t lines = 0;
  Status status = Ok();
};

Answered AnswerLines(const LineFlags& flags, const LineRun& run,
                     std::uint64_t before,
                     const volatile std::sig_atomic_t* stop) {
  LineWriter out(STDOUT_FILENO);
  LineReader in(
      STDIN_FILENO, [&out] { return out.Flush(); }, stop);
  ProgressLine progress(flags);
  Answered answered{before};
  while (answered.status && !run.ended()) {
    const auto line = in.Next();
    if (!line) break;
    Status status = run.answer(*line, out);
    if (!status) {
      status = Error{status.error().code, "standard input, line " +
                                              std::to_string(in.line_number()) +
                                              ": " + status.error().message};
    } else {
      status = out.EndLine();
      ++answered.lines;
    }
    answered.status = status;
    progress.Tick(answered.lines);
  }
  // Answers that were computed are given even if a later line was bad: their
  // noise is spent.
  const Status flushed = out.Flush();
  if (answered.status && !in.status()) {
    answered.status = Error{in.status().error().code,
                            "standard input: " + in.status().error().message};
  }
  if (answered.status) answered.status = flushed;
  return answered;
}

}  // namespace

void AddLineFlags(CLI::App& command, LineFlags& flags) {
  command.add_option("--epsilon", flags.epsilon, "the privacy parameter")
      ->required();
  command
      .add_option(
          "--delta", flags.delta,
          "0: pure mechanisms only; what the samplers lack of their law "
          "is stated at the end")
      ->capture_default_str();
  AllowScientific(*command
                       .add_option("--rounds-per-user", flags.rounds_per_user,
                                   "how many records one user may have")
                       ->capture_default_str());
  command
      .add_option("--seed", flags.seed,
                  "experiments only: noise that anyone can recompute")
      ->check(CLI::NonNegativeNumber);
  command.add_option(
      "--save", flags.save,
      "write the state here at the end, also after an interrupt; it "
      "holds a secret key and the data so far");
  command.add_option(
      "--load", flags.load,
      "go on from a saved state; each continuation with other data "
      "spends the guarantee again");
  command.add_flag("--json", flags.json, "a JSON object a line");
  command.add_flag("--quiet", flags.quiet, "no statement on standard error");
  command.add_flag("--progress", flags.progress,
                   "a progress line although standard error is no terminal");
}

Result<ApproximateDp> PerRound(const LineFlags& flags) {
  if (!(flags.epsilon > 0) || !std::isfinite(flags.epsilon)) {
    return InvalidArgument("--epsilon must be positive and finite");
  }
  if (!(flags.delta >= 0 && flags.delta < 1)) {
    return InvalidArgument("--delta must be at least 0 and below 1");
  }
  if (flags.rounds_per_user == 0) {
    return InvalidArgument("--rounds-per-user must be at least 1");
  }
  const ApproximateDp user{flags.epsilon, flags.delta};
  if (flags.rounds_per_user == 1) return user;
  return PerRoundTarget(user, flags.rounds_per_user);
}

Error Explain(const LineFlags& flags, const ApproximateDp& each, Error error) {
  if (each.epsilon == flags.epsilon) return error;
  error.message += " (of the epsilon asked for, " + Exact(flags.epsilon) +
                   ", one record gets " + Exact(each.epsilon) + ")";
  return error;
}

Result<LineStart> StartLines(const LineFlags& flags, std::string_view kind,
                             const std::string& settings) {
  if (!flags.save.empty()) {
    const Status writable = CheckStateCanBeWritten(flags.save);
    if (!writable) return InvalidArgument(writable.error().message);
  }
  if (flags.load.empty()) {
    const auto key = FreshKey(flags.seed);
    if (!key) return key.error();
    return LineStart{key->Derive("noise-v1", kind, {settings}),
                     flags.seed.has_value(), std::nullopt};
  }
  if (flags.seed) {
    return InvalidArgument(
        "--seed starts a run and cannot be given to one that is resumed");
  }
  const auto state = ReadStateFile(flags.load, kind, kStateVersion);
  if (!state) return InvalidArgument(state.error().message);
  ByteReader reader(state->payload);
  const std::string saved_settings(reader.Text());
  const std::string_view key = reader.Text();
  const bool seeded = reader.Number<std::uint8_t>() != 0;
  const auto lines = reader.Number<std::uint64_t>();
  std::string mechanism(reader.Text());
  if (!reader.Finish() || key.size() != Key::kBytes) {
    return Error{ErrorCode::kCorruption, flags.load + ": malformed state"};
  }
  if (saved_settings != settings) {
    return InvalidArgument(flags.load + ": a state of " + saved_settings +
                           "; this run asks for " + settings);
  }
  return LineStart{
      Key::FromBytes(std::span<const std::byte, Key::kBytes>(
          reinterpret_cast<const std::byte*>(key.data()), Key::kBytes)),
      seeded, std::move(mechanism), lines};
}

Status CheckPromise(const LineFlags& flags, const Guarantee& guarantee) {
  if (flags.delta == 0 || flags.rounds_per_user > 1) return Ok();
  if (guarantee.delta() <= flags.delta) return Ok();
  return InvalidArgument("--delta " + Exact(flags.delta) +
                         " cannot be kept: the samplers alone need " +
                         TextUp(guarantee.delta()));
}

int RunLines(const LineFlags& flags, const LineStart& start,
             const LineRun& run) {
  const auto* stop = CatchInterrupts();
  const Answered answered = AnswerLines(flags, run, start.lines, stop);
  int exit_code = kDone;
  if (!answered.status) {
    exit_code = Report(answered.status.error());
  } else if (const Status saved = SaveState(flags, start, run, answered.lines);
             !saved) {
    exit_code = Report(saved.error());
  }
  if (exit_code == kDone || answered.lines > start.lines) {
    PrivacyStatement(flags, start.seeded, run.guarantee, run.expectation());
  }
  return exit_code;
}

std::string_view JsonEnd(const LineStart& start) {
  return start.seeded ? ",\"private\":false}" : "}";
}

}  // namespace sotto::app
