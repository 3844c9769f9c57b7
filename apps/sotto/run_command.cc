#include <unistd.h>

#include <algorithm>
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
#include "sotto/base/printable.h"
#include "sotto/frontend/budget_options.h"
#include "sotto/frontend/held_states.h"
#include "sotto/frontend/publication_log.h"
#include "sotto/frontend/reader_options.h"
#include "sotto/frontend/row_check.h"
#include "sotto/frontend/run_outputs.h"
#include "sotto/frontend/run_session.h"
#include "sotto/frontend/stream_run.h"
#include "sotto/models/registry/registry.h"
#include "sotto/report/progress_line.h"
#include "sotto/report/progress_table.h"

namespace sotto::app {
namespace {

// Bad rows that --strict names.
constexpr std::size_t kStrictPlaces = 100;

// A reader that tells the player of its rows when it is about to wait.
struct Input {
  StreamRun* player = nullptr;
  std::optional<ExampleReader> reader;

  Status Open(const OnlineModelEntry& entry, const Settings& settings) {
    SOTTO_TRY_ASSIGN(auto params, PrepareReader(entry, settings));
    if (settings.Flag("strict")) params.named_places = kStrictPlaces;
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
         (settings.Flag("json") && !settings.Flag("quiet") &&
          ::isatty(STDERR_FILENO) != 0);
}

// Only a page shows it.
PublicationLog::Show HowToShow(const Settings& settings,
                               const OnlineModelEntry& entry) {
  const ModelFileFormat* published = FindPublishedModel(entry.name);
  if (published == nullptr || !settings.Has("report")) return {};
  return published->show;
}

int PlayRows(const Settings& settings, Session& session, Input& input,
             Predictions* predictions, HeldState* state) {
  auto table =
      ProgressTable::Create({.every = settings.Text("table-every"),
                             .label = session.inputs().label,
                             .public_only = settings.Flag("public"),
                             .counted = session.public_mistakes() != nullptr},
                            session.stats().now);
  if (!table) return RefuseRun(table.error());
  TextOut out = OpenTextOut(settings, StopFlag());
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
       .state = state,
       .save_every = settings.GetInt("save-every"),
       .each =
           [&](const Round& round) {
             const RunStats::Point& now = session.stats().now;
             if (table->Due(now)) out.Print(table->Row(now, round.phase));
             line.Update(session.rounds());
           },
       .sample_votes = settings.Has("report") && !settings.Flag("public")},
      StopFlag());
  out.Print(PendingRound(session));
  out.Print(table->Header());
  input.player = &run;
  CatchInterrupts();
  const std::uint64_t before = session.rounds();
  const auto start = std::chrono::steady_clock::now();
  Ended ended{.failure = run.Run(*input.reader)};
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  input.player = nullptr;
  out.Print(table->Last(session.stats().now, session.phase()));
  ended.played = session.rounds() - before;
  ended.seconds = time.count();
  ended.skipped = input.reader->skipped();
  ended.votes = run.votes();
  ended.published = published.Entries();
  ended.covered = before + run.saved();
  return FinishRun(settings, session, ended, predictions, out);
}

// Warns of a run that spends epsilon for nothing, or promises less than it
// seems. Both are known before any data.
void WarnOfUselessRun(const Settings& settings, const Session& session) {
  const auto horizon = static_cast<double>(settings.GetInt("horizon"));
  // With a schedule it is the sum over all rounds.
  if (!session.guarantee().schedule() &&
      settings.GetDouble("delta") * horizon > 1) {
    Warn(
        "warning: delta is above 1/horizon: alone it would permit publishing "
        "somebody's round");
  }
  if (session.model().forecast().verdict != ToString(Verdict::kHopeless))
    return;
  Warn("warning: with this epsilon and horizon, " +
       std::string(session.entry().name) +
       " is not expected to beat a constant. 'sotto plan' ranks the models. "
       "(--force hides this)");
}

// For the operator only.
void PrintTrainingSummary(const Settings& settings, const SkipCounts& skipped) {
  if (skipped.total() == 0 || settings.Flag("public")) return;
  Warn(std::to_string(skipped.total()) + " bad rows in " +
       settings.Text("train") + " are empty places");
  for (const std::string& place : skipped.places) Warn(place);
}

// One file of --strict. Returns the exit code.
int CheckFile(const Settings& settings, const char* option,
              ExampleReader& reader) {
  const auto check = CheckRows(reader);
  if (!check) return RefuseRun(check.error());
  const bool good = check->bad.total() == 0;
  if (settings.Flag("json")) {
    Json json = RowCheckJson(*check);
    json["file"] = settings.Text(option);
    Print(json);
  } else if (!settings.Flag("quiet") || !good) {
    const std::string text =
        RowCheckText(InputName(settings.Text(option)), *check);
    std::fputs(Printable(text).c_str(), good ? stdout : stderr);
  }
  return good ? kDone : kUsage;
}

// --strict: reads all files with rows and plays nothing. Returns the exit code.
int CheckStream(const OnlineModelEntry& entry, const Settings& settings,
                ExampleReader& stream) {
  const int rows = CheckFile(settings, "data", stream);
  if (!settings.Has("train")) return rows;
  auto training = OpenTrainingSet(entry, settings, MakeInputSpec(stream));
  if (!training) return RefuseRun(training.error());
  return std::max(rows, CheckFile(settings, "train", *training));
}

// --strict publishes nothing, so that it says nothing in public.
Status CheckStrict(const Settings& settings) {
  for (const char* option : {"public", "skip-bad"}) {
    if (!settings.Flag(option)) continue;
    return InvalidArgument("--strict cannot be combined with --" +
                           std::string(option));
  }
  return Ok();
}

int RunModel(const OnlineModelEntry& entry, Settings settings) {
  const bool strict = settings.Flag("strict");
  if (Status good = strict ? CheckStrict(settings) : CheckRunFiles(settings);
      !good) {
    return RefuseRun(good.error());
  }
  if (Status good = CheckBudget(settings); !good) {
    return RefuseRun(good.error());
  }
  // Locked before it is read.
  const auto held =
      strict ? Result<HeldStates>(HeldStates()) : HoldStates(settings);
  if (!held) return RefuseRun(held.error());
  const auto state = ReadState(entry, settings);
  if (!state) return RefuseRun(state.error());
  if (*state && (*state)->mark) {
    Warn(UncleanEndWarning((*state)->path, *(*state)->mark));
  }
  if (settings.Flag("live")) {
    return RunLive(entry, settings, *state, *held);
  }
  if (Status good = settings.CheckRequired(); !good) {
    return RefuseRun(good.error());
  }
  if (!settings.Has("data")) {
    return RefuseRun(InvalidArgument(
        "missing input. Give --data FILE (--data - for standard input) or "
        "--live."));
  }
  Input input;
  if (Status opened = input.Open(entry, settings); !opened) {
    return RefuseRun(opened.error());
  }
  if (strict) return CheckStream(entry, settings, *input.reader);
  SkipCounts skipped;
  auto session = MakeSession(entry, settings, MakeInputSpec(*input.reader),
                             *state, &skipped);
  if (!session) return RefuseRun(session.error());
  PrintTrainingSummary(settings, skipped);
  if (!*state && !settings.Flag("force")) {
    WarnOfUselessRun(settings, **session);
  }
  auto predictions = Predictions::Open(settings, StopFlag());
  if (!predictions) return RefuseRun(predictions.error());
  return PlayRows(settings, **session, input, predictions->get(),
                  held->saved.get());
}

std::string BatchModelHint(const std::string& word) {
  if (FindBatchModel(word) == nullptr) return {};
  return Quoted(word) + " is a batch model. Use: sotto fit " + word;
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
              "A bad row is an empty round, as a blank line is; the report "
              "counts them and names the first few. --strict only checks the "
              "rows.\n"
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
              .help =
                  "Predict for each row, then learn from its label. Private "
                  "for every user.",
              .footer =
                  "Example: sotto run tide --epsilon 1 --delta 1e-6 --horizon "
                  "1e5 --schema s.json -d stream.csv",
              .commands_are = "model",
              .hint = BatchModelHint};
  run.commands.push_back(RunAuto(RunModel));
  for (const OnlineModelEntry* entry : OnlineModels()) {
    run.commands.push_back(MakeRunCommand(*entry));
  }
  return run;
}

}  // namespace sotto::app
