#include "sotto/frontend/run_session.h"

#include <utility>

#include "sotto/frontend/budget_options.h"
#include "sotto/frontend/fresh_key.h"
#include "sotto/frontend/line_machine.h"
#include "sotto/frontend/reader_options.h"
#include "sotto/frontend/session_state.h"

namespace sotto {
namespace {

Error Of(const LoadedState& state, const Error& error) {
  return {error.code == ErrorCode::kUnavailable ? error.code
                                                : ErrorCode::kInvalidArgument,
          state.path + ": " + error.message};
}

Status TrainSession(const Settings& settings, Session& session,
                    SkipCounts* skipped) {
  if (!settings.Has("train")) {
    return InvalidArgument("--train FILE is needed: the labelled rows that " +
                           std::string(session.entry().name) + " starts from");
  }
  SOTTO_TRY_ASSIGN(auto reader, OpenTrainingSet(session.entry(), settings,
                                                session.inputs()));
  const auto next = [&reader](Round& round) { return reader.Next(round); };
  SOTTO_TRY(session.Train(next));
  if (skipped != nullptr) *skipped = reader.skipped();
  return Ok();
}

}  // namespace

Result<ExampleReader> OpenTrainingSet(const OnlineModelEntry& entry,
                                      const Settings& settings,
                                      const InputSpec& stream) {
  if (settings.Text("train") == "-") {
    return InvalidArgument(
        "--train takes the name of a file: it is read before the stream");
  }
  SOTTO_TRY_ASSIGN(auto params, PrepareReader(entry, settings));
  params.path = settings.Text("train");
  params.label_optional = false;
  if (const auto format = FormatOfPath(params.path)) params.format = format;
  auto reader = ExampleReader::Open(std::move(params));
  if (!reader) return reader.error();
  if (reader->input_fingerprint() != stream.print) {
    return InvalidArgument(settings.Text("train") +
                           ": other columns, or another label, than the "
                           "stream has; expected the same");
  }
  return reader;
}

Result<LoadedState> ReadSessionState(const std::string& path) {
  auto state = ReadStateFile(path, kSessionState, kSessionStateVersion);
  if (state) {
    return LoadedState{.path = path,
                       .payload = std::move(state->payload),
                       .mark = state->mark};
  }
  const auto of_live = ReadStateFile(path, kJournalState, kJournalStateVersion);
  if (!of_live) return InvalidArgument(state.error().message);
  LoadedState loaded{.path = path};
  SOTTO_TRY_ASSIGN(loaded.journal, LiveJournal::Open(path, *of_live));
  auto saved = LineMachine::Read(loaded.journal->state());
  if (!saved) return Of(loaded, saved.error());
  loaded.payload = std::move(saved->session);
  loaded.replies = saved->replies;
  return loaded;
}

Result<std::optional<LoadedState>> ReadState(const OnlineModelEntry& entry,
                                             Settings& settings) {
  if (!settings.Has("load")) return std::optional<LoadedState>();
  if (settings.Has("seed")) {
    return InvalidArgument(
        "--seed starts a run and cannot be given to one that is resumed");
  }
  if (settings.Has("train")) {
    return InvalidArgument(
        "--train starts a run, and the state of one that is resumed holds what "
        "was learned from it: leave one of the two out");
  }
  SOTTO_TRY_ASSIGN(auto loaded, ReadSessionState(settings.Text("load")));
  if (loaded.journal != nullptr && !settings.Flag("live")) {
    return InvalidArgument(
        loaded.path +
        ": its live run did not end properly, and a journal has what was "
        "answered since. Resume it with --live first, and with --save");
  }
  const auto head = Session::ReadHead(loaded.payload);
  if (!head) return Of(loaded, head.error());
  if (head->model != entry.name) {
    return InvalidArgument(loaded.path + ": a state of " + head->model +
                           ", not of " + std::string(entry.name));
  }
  if (Status adopted = settings.Adopt(head->settings); !adopted) {
    return Of(loaded, adopted.error());
  }
  return std::optional(std::move(loaded));
}

Result<ExampleReader::Params> PrepareReader(const OnlineModelEntry& entry,
                                            const Settings& settings) {
  auto params = MakeReaderParams(settings);
  if (!params) return params.error();
  // A bad row is an empty round: what is public must not depend on whether a
  // user's row can be read.
  params->skip_bad = true;
  // Models with a training set learn nothing from the labels of the stream.
  params->label_optional = entry.needs_training_set;
  SOTTO_TRY(entry.prepare(settings, *params));
  return params;
}

Result<std::unique_ptr<Session>> MakeSession(
    const OnlineModelEntry& entry, const Settings& settings, InputSpec inputs,
    const std::optional<LoadedState>& state, SkipCounts* skipped) {
  if (state) {
    auto session =
        Session::Load(entry, settings, std::move(inputs), state->payload);
    if (!session) return Of(*state, session.error());
    return session;
  }
  SOTTO_TRY_ASSIGN(const auto key, FreshKey(settings.GetOptionalInt("seed")));
  auto session = Session::Create(entry, settings, std::move(inputs), key,
                                 settings.Has("seed"));
  // Options that cost more than was asked are wrong, a spent --budget is not.
  if (!session && session.error().code == ErrorCode::kBudgetExhausted) {
    return InvalidArgument(session.error().message);
  }
  if (!session) return session;
  SOTTO_TRY(ChargeBudget(settings, (*session)->guarantee(),
                         "run " + std::string(entry.name)));
  if (!entry.needs_training_set) return session;
  SOTTO_TRY(TrainSession(settings, **session, skipped));
  return session;
}

}  // namespace sotto
