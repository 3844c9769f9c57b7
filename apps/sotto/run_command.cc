#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "command.h"
#include "commands.h"
#include "interrupt.h"
#include "live_command.h"
#include "run_auto.h"
#include "run_finish.h"
#include "run_options.h"
#include "sotto/frontend/publication_log.h"
#include "sotto/frontend/reader_options.h"
#include "sotto/frontend/run_outputs.h"
#include "sotto/frontend/run_session.h"
#include "sotto/frontend/stream_run.h"
#include "sotto/models/registry/registry.h"
#include "sotto/report/progress_line.h"
#include "sotto/report/progress_table.h"

namespace sotto::app {
namespace {

// A reader that tells whoever plays its rows when it is about to wait.
struct Input {
  StreamRun* player = nullptr;
  std::optional<ExampleReader> reader;

  Status Open(const OnlineModelEntry& entry, const Settings& settings) {
    SOTTO_TRY_ASSIGN(auto params, PrepareReader(entry, settings));
    params.input.before_waiting = [this](const StillWaits& waits) {
      return player == nullptr ? Ok() : player->Pause(waits);
    };
    params.input.stop = StopFlag();
    SOTTO_TRY_ASSIGN(auto opened, ExampleReader::Open(std::move(params)));
    reader.emplace(std::move(opened));
    return Ok();
  }
};

std::string PendingRound(const Session& session) {
  std::string text = session.model().Summary();
  if (session.rounds() > 0) {
    text += "\nresumed after round " + std::to_string(session.rounds());
  }
  return text + "\n";
}

bool WantsProgress(const Settings& settings) {
  return settings.Flag("progress") ||
         (!settings.Flag("quiet") && TextOut(settings) == nullptr &&
          ::isatty(STDERR_FILENO) != 0);
}

void Print(std::FILE* out, const std::string& text) {
  if (out == nullptr || text.empty()) return;
  std::fputs(text.c_str(), out);
  std::fflush(out);
}

// Only a page shows it.
PublicationLog::Show HowToShow(const Settings& settings,
                               const OnlineModelEntry& entry) {
  const ModelFileFormat* published = FindPublishedModel(entry.name);
  if (published == nullptr || !settings.Has("report")) return {};
  return published->show;
}

int PlayRows(const Settings& settings, Session& session, Input& input,
             Predictions* predictions) {
  auto table =
      ProgressTable::Create({.every = settings.Text("table-every"),
                             .label = session.inputs().label,
                             .public_only = settings.Flag("public"),
                             .counted = session.public_mistakes() != nullptr},
                            session.stats().now);
  if (!table) return RefuseRun(table.error());
  std::FILE* out = TextOut(settings);
  ProgressLine line(WantsProgress(settings) ? stderr : nullptr,
                    settings.GetOptionalInt("horizon"));
  const PublicationLog published(session, HowToShow(settings, session.entry()));
  StreamRun run(
      session,
      {.predictions = predictions != nullptr ? &predictions->lines() : nullptr,
       .release =
           [&] {
             return predictions != nullptr ? predictions->Release() : Ok();
           },
       .probabilities = settings.Flag("probabilities"),
       .state = settings.Text("save"),
       .save_every = settings.GetInt("save-every"),
       .each =
           [&](const Round& round) {
             const RunStats::Point& now = session.stats().now;
             if (table->Due(now)) Print(out, table->Row(now, round.phase));
             line.Update(session.rounds());
           },
       .sample_votes = settings.Has("report") && !settings.Flag("public")},
      StopFlag());
  Print(out, PendingRound(session));
  Print(out, table->Header());
  input.player = &run;
  CatchInterrupts();
  const std::uint64_t before = session.rounds();
  const auto start = std::chrono::steady_clock::now();
  Ended ended{.failure = run.Run(*input.reader)};
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  input.player = nullptr;
  Print(out, table->Last(session.stats().now, session.phase()));
  ended.played = session.rounds() - before;
  ended.seconds = time.count();
  ended.skipped = input.reader->skipped();
  ended.votes = run.votes();
  ended.published = published.Entries();
  return FinishRun(settings, session, ended, predictions);
}

// Known before any data: whoever goes on spends epsilon for nothing, or
// promises less than it seems.
void WarnOfUselessRun(const Settings& settings, const Session& session) {
  const auto horizon = static_cast<double>(settings.GetInt("horizon"));
  // With a schedule it is the sum over all rounds.
  if (!session.guarantee().schedule() &&
      settings.GetDouble("delta") * horizon > 1) {
    std::fprintf(stderr,
                 "sotto: warning: delta is above 1/horizon, so that it alone "
                 "would allow somebody's round to be published\n");
  }
  if (session.model().forecast().verdict != ToString(Verdict::kHopeless))
    return;
  std::fprintf(stderr,
               "sotto: warning: the plan calls this run hopeless; `sotto plan` "
               "says what would help, or which model suits the stream\n");
}

// The operator's own view.
void PrintTrainingSummary(const Settings& settings, const SkipCounts& skipped) {
  if (skipped.total() == 0 || settings.Flag("public")) return;
  std::fprintf(stderr,
               "sotto: %llu rows of %s cannot be used: empty places stand for "
               "them\n",
               static_cast<unsigned long long>(skipped.total()),
               settings.Text("train").c_str());
}

int RunModel(const OnlineModelEntry& entry, Settings settings) {
  if (Status good = CheckRunFiles(settings); !good) {
    return RefuseRun(good.error());
  }
  const auto state = ReadState(entry, settings);
  if (!state) return RefuseRun(state.error());
  if (settings.Flag("live")) return RunLive(entry, settings, *state);
  if (Status good = settings.CheckRequired(); !good) {
    return RefuseRun(good.error());
  }
  if (!settings.Has("data")) {
    return RefuseRun(InvalidArgument(
        "--data FILE is needed, or --live: where the rounds come from"));
  }
  Input input;
  if (Status opened = input.Open(entry, settings); !opened) {
    return RefuseRun(opened.error());
  }
  SkipCounts skipped;
  auto session = MakeSession(entry, settings, MakeInputSpec(*input.reader),
                             *state, &skipped);
  if (!session) return RefuseRun(session.error());
  PrintTrainingSummary(settings, skipped);
  if (!*state && !settings.Flag("anyway")) {
    WarnOfUselessRun(settings, **session);
  }
  auto predictions = Predictions::Open(settings, StopFlag());
  if (!predictions) return RefuseRun(predictions.error());
  return PlayRows(settings, **session, input, predictions->get());
}

Command MakeRunCommand(const OnlineModelEntry& entry) {
  const std::string name(entry.name);
  return {.name = name,
          .help = std::string(entry.help),
          .footer =
              "Each row is a round: its user gets a prediction, then "
              "gives the label. The table and the mistakes are the "
              "operator's own view; with --public, only what may be "
              "shown to anybody is printed.\n"
              "A bad row ends the run with exit code 2, unless it is "
              "skipped: the rounds before it were played, -p keeps their "
              "predictions and --save their state.\n"
              "Examples:\n"
              "  sotto run " +
              name + " " + std::string(entry.example) +
              " -d stream.csv\n"
              "  sotto run " +
              name + " -d more.csv --load run.state --save run.state",
          .options = RunOptions(entry),
          .call = [&entry](const Settings& settings) {
            return RunModel(entry, settings);
          }};
}

}  // namespace

Command RunCommand() {
  Command run{.name = "run",
              .help = "Private predictions over a stream: predict, then learn",
              .footer =
                  "Example: sotto run pop --epsilon 1 --delta 1e-6 "
                  "--horizon 1e5 -d stream.csv",
              .commands_are = "model"};
  run.commands.push_back(RunAuto(RunModel));
  for (const OnlineModelEntry* entry : OnlineModels()) {
    run.commands.push_back(MakeRunCommand(*entry));
  }
  return run;
}

}  // namespace sotto::app
