#include "live_command.h"

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "command.h"
#include "interrupt.h"
#include "run_finish.h"
#include "sotto/data/streams/live_lines.h"
#include "sotto/frontend/journaled_lines.h"
#include "sotto/frontend/line_machine.h"
#include "sotto/frontend/live_journal.h"
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

// A learner of the user's own cannot be played again.
bool CanReplay(const Settings& settings) {
  return !settings.Has("learner") ||
         !settings.Text("learner").starts_with("exec:");
}

void WarnOfReplay(const LoadedState& state, std::uint64_t lines) {
  if (lines == 0) return;
  Warn("the last run of " + state.path +
       " did not end properly: " + std::to_string(lines) +
       " lines of its journal were played again; nothing that was answered is "
       "missing");
}

// The journal to continue: that of the loaded state, or a new one. Null if
// nothing is saved, or the model cannot be replayed.
Result<std::unique_ptr<JournaledLines>> OpenJournal(
    const Settings& settings, Session& session, LineMachine& machine,
    const std::optional<LoadedState>& state, const HeldStates& held) {
  std::unique_ptr<JournaledLines> lines;
  if (state && state->journal != nullptr) {
    SOTTO_TRY_ASSIGN(
        lines,
        JournaledLines::Start(session, machine, state->journal, *held.loaded));
    WarnOfReplay(*state, lines->replayed());
    if (held.saved == held.loaded) return lines;
    lines.reset();
  }
  if (held.saved == nullptr || !CanReplay(settings)) return lines;
  SOTTO_TRY_ASSIGN(auto files, LiveJournal::Create(settings.Text("save"),
                                                   settings.Flag("replace")));
  return JournaledLines::Start(session, machine, std::move(files), *held.saved);
}

int PlayLines(const Settings& settings, Session& session, LiveLines& lines,
              const std::optional<LoadedState>& state, const HeldStates& held) {
  LineMachine machine(session, lines, state ? state->replies : ReplyHash{});
  const auto journal = OpenJournal(settings, session, machine, state, held);
  if (!journal) return RefuseRun(journal.error());
  const auto* stop = StopFlag();
  LineWriter out(STDOUT_FILENO, stop);
  bool released = false;
  session.OnPhaseChange([&] { released = true; });
  const auto publish = [&] {
    if (std::exchange(released, false)) WriteRelease(settings, session);
  };
  LiveRun run(session, lines,
              {.out = &out,
               .state = held.saved.get(),
               .save_every = settings.GetInt("save-every"),
               .journal = journal->get(),
               .replied = publish});
  LineReader in(
      FileBytes(STDIN_FILENO, /*owned=*/false),
      [&run](const StillWaits& waits) { return run.Pause(waits); }, stop,
      Conversation::kMaxLine, LineReader::LongLines::kCut);
  CatchInterrupts();
  const std::uint64_t before = session.rounds();
  const auto start = std::chrono::steady_clock::now();
  Ended ended{.failure = run.Run(in, stop)};
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  ended.played = session.rounds() - before;
  ended.seconds = time.count();
  ended.covered = run.saved();
  ended.journaled = *journal != nullptr;
  ended.reader_gone = out.closed();
  TextOut text = OpenTextOut(settings, stop);
  return FinishRun(settings, session, ended, nullptr, text);
}

}  // namespace

int RunLive(const OnlineModelEntry& entry, Settings settings,
            const std::optional<LoadedState>& state, const HeldStates& held) {
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
  return PlayLines(settings, **session, *lines, state, held);
}

}  // namespace sotto::app
