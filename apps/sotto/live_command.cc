#include "live_command.h"

#include <unistd.h>

#include <chrono>
#include <utility>

#include "command.h"
#include "interrupt.h"
#include "run_finish.h"
#include "sotto/data/streams/live_lines.h"
#include "sotto/frontend/live_run.h"
#include "sotto/frontend/reader_options.h"

namespace sotto::app {
namespace {

// Refuses options about rows of a file: they have no meaning here.
Status CheckLive(const Settings& settings) {
  for (const char* option :
       {"data", "predictions", "public", "label-delay", "format", "no-header",
        "columns", "user", "label", "strict"}) {
    if (!settings.SetByUser(option)) continue;
    return InvalidArgument("--" + std::string(option) +
                           " is about rows, and --live has none: leave one of "
                           "the two out");
  }
  return Ok();
}

int PlayLines(const Settings& settings, Session& session, LiveLines& lines,
              HeldState* state) {
  const auto* stop = StopFlag();
  LineWriter out(STDOUT_FILENO, stop);
  LiveRun run(session, lines,
              {.out = &out,
               .state = state,
               .save_every = settings.GetInt("save-every")});
  LineReader in(
      FileBytes(STDIN_FILENO, /*owned=*/false),
      [&run](const StillWaits& waits) { return run.Pause(waits); }, stop,
      Conversation::kMaxLine, LineReader::LongLines::kCut);
  session.OnPhaseChange([&] { WriteRelease(settings, session); });
  CatchInterrupts();
  const std::uint64_t before = session.rounds();
  const auto start = std::chrono::steady_clock::now();
  Ended ended{.failure = run.Run(in, stop)};
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  ended.played = session.rounds() - before;
  ended.seconds = time.count();
  ended.covered = run.saved();
  ended.reader_gone = out.closed();
  TextOut text = OpenTextOut(settings, stop);
  return FinishRun(settings, session, ended, nullptr, text);
}

}  // namespace

int RunLive(const OnlineModelEntry& entry, Settings settings,
            const std::optional<LoadedState>& state, HeldState* saved) {
  if (Status good = CheckLive(settings); !good) return RefuseRun(good.error());
  // Lines come from standard input, as jsonl.
  static_cast<void>(settings.Set("data", "-"));
  static_cast<void>(settings.Set("format", "jsonl"));
  if (Status good = settings.CheckRequired(); !good) {
    return RefuseRun(good.error());
  }
  auto params = PrepareReader(entry, settings);
  if (!params) return RefuseRun(params.error());
  auto lines = LiveLines::Create(*params);
  if (!lines) return RefuseRun(lines.error());
  auto session = MakeSession(entry, settings, MakeInputSpec(*lines), state);
  if (!session) return RefuseRun(session.error());
  return PlayLines(settings, **session, *lines, saved);
}

}  // namespace sotto::app
