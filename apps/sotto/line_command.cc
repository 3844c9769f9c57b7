#include "line_command.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include "command.h"
#include "sotto/accounting/group_privacy.h"
#include "sotto/state/state_file.h"

namespace sotto::app {
namespace {

constexpr std::uint32_t kStateVersion = 1;
constexpr std::uint64_t kLinesPerClockLook = 1 << 12;
constexpr auto kProgressPeriod = std::chrono::milliseconds(250);

// A public key: whoever knows the seed knows the noise.
Key SeedKey(std::uint64_t seed) {
  const std::array<std::byte, Key::kBytes> zeros{};
  return Key::FromBytes(zeros).Derive("seed-v1", "experiments only", {seed});
}

Result<Key> FreshKey(const LineFlags& flags) {
  if (flags.seed) return SeedKey(*flags.seed);
  return Key::Generate();
}

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

void PrivacyStatement(const LineFlags& flags, const Guarantee& guarantee,
                      const std::string& expectation) {
  if (flags.quiet) return;
  const auto user = flags.rounds_per_user > 1
                        ? UserLevel(guarantee, flags.rounds_per_user)
                        : Result<Guarantee>(guarantee);
  if (!expectation.empty()) std::fprintf(stderr, "%s\n", expectation.c_str());
  if (flags.seed) {
    std::fprintf(stderr,
                 "NOT PRIVATE: --seed makes the noise known to anyone; it is "
                 "for experiments only. Without it: ");
  } else {
    std::fprintf(stderr, "Privacy: ");
  }
  std::fprintf(stderr, "%s\n",
               user ? user->Describe().c_str() : user.error().message.c_str());
}

}  // namespace

void AddLineFlags(CLI::App& command, LineFlags& flags) {
  command.add_option("--epsilon", flags.epsilon, "the privacy parameter")
      ->required();
  command.add_option("--delta", flags.delta, "0: pure mechanisms only");
  command.add_option("--rounds-per-user", flags.rounds_per_user,
                     "how many lines one user may be part of");
  command.add_option("--seed", flags.seed,
                     "experiments only: noise that anyone can recompute");
  command.add_option("--save", flags.save,
                     "write the state here at the end (it holds a secret key)");
  command.add_option("--load", flags.load, "go on from a saved state");
  command.add_flag("--json", flags.json, "a JSON object a line");
  command.add_flag("--quiet", flags.quiet, "nothing on standard error");
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

Result<LineStart> StartLines(const LineFlags& flags, std::string_view kind,
                             const std::string& settings) {
  if (flags.load.empty()) {
    const auto key = FreshKey(flags);
    if (!key) return key.error();
    return LineStart{key->Derive("noise-v1", kind, {settings}), std::nullopt};
  }
  const auto state = ReadStateFile(flags.load, kind, kStateVersion);
  if (!state) return state.error();
  ByteReader reader(state->payload);
  const std::string saved_settings(reader.Text());
  const std::string_view key = reader.Text();
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
      std::move(mechanism), lines};
}

Result<std::uint64_t> AnswerLines(const LineFlags& flags, const LineLoop& loop,
                                  std::uint64_t lines_before) {
  LineWriter out(STDOUT_FILENO);
  LineReader in(STDIN_FILENO, [&out] { return out.Flush(); });
  ProgressLine progress(flags);
  while (!loop.ended()) {
    const auto line = in.Next();
    if (!line) break;
    Status status = loop.answer(*line, out);
    if (status) status = out.EndLine();
    if (!status) {
      // Answers already given are given: noise that left cannot come back.
      static_cast<void>(out.Flush());
      return Error{status.error().code, "standard input, line " +
                                            std::to_string(in.line_number()) +
                                            ": " + status.error().message};
    }
    progress.Tick(lines_before + in.line_number());
  }
  if (!in.status()) return in.status().error();
  if (const Status flushed = out.Flush(); !flushed) return flushed.error();
  return lines_before + in.line_number();
}

int FinishLines(const LineFlags& flags, std::string_view kind,
                const std::string& settings, const HistoryRng& rng,
                std::uint64_t lines, const ByteWriter& mechanism,
                const Guarantee& guarantee, const std::string& expectation) {
  if (!flags.save.empty()) {
    ByteWriter payload;
    payload.Text(settings);
    const auto key = rng.key().bytes();
    payload.Text({reinterpret_cast<const char*>(key.data()), key.size()});
    payload.Number(lines);
    payload.Text(mechanism.bytes());
    const Status saved = WriteStateFile(
        flags.save, {std::string(kind), kStateVersion, payload.bytes()});
    if (!saved) return Report(saved.error());
  }
  PrivacyStatement(flags, guarantee, expectation);
  return kDone;
}

}  // namespace sotto::app
