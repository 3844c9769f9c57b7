#include "sotto/run/run_session.h"

#include <utility>

#include "sotto/run/fresh_key.h"
#include "sotto/run/reader_options.h"
#include "sotto/run/session_state.h"

namespace sotto {
namespace {

Error Of(const LoadedState& state, const Error& error) {
  return {error.code == ErrorCode::kUnavailable ? error.code
                                                : ErrorCode::kInvalidArgument,
          state.path + ": " + error.message};
}

}  // namespace

Result<std::optional<LoadedState>> ReadState(const OnlineRow& row,
                                             Settings& settings) {
  if (!settings.Has("load")) return std::optional<LoadedState>();
  if (settings.Has("seed")) {
    return InvalidArgument(
        "--seed starts a run and cannot be given to one that is resumed");
  }
  LoadedState loaded{settings.Text("load"), {}};
  auto state = ReadStateFile(loaded.path, kSessionState, kSessionStateVersion);
  if (!state) return InvalidArgument(state.error().message);
  loaded.payload = std::move(state->payload);
  const auto head = Session::ReadHead(loaded.payload);
  if (!head) return Of(loaded, head.error());
  if (head->model != row.name) {
    return InvalidArgument(loaded.path + ": a state of " + head->model +
                           ", not of " + std::string(row.name));
  }
  if (Status adopted = settings.Adopt(head->settings); !adopted) {
    return Of(loaded, adopted.error());
  }
  return std::optional(std::move(loaded));
}

Result<ExampleReader::Params> PrepareReader(const OnlineRow& row,
                                            const Settings& settings) {
  auto params = ReaderParamsOf(settings);
  if (!params) return params.error();
  if (Status prepared = row.prepare(settings, *params); !prepared) {
    return prepared.error();
  }
  return params;
}

Result<std::unique_ptr<Session>> MakeSession(
    const OnlineRow& row, const Settings& settings, Inputs inputs,
    const std::optional<LoadedState>& state) {
  if (state) {
    auto session =
        Session::Load(row, settings, std::move(inputs), state->payload);
    if (!session) return Of(*state, session.error());
    return session;
  }
  const auto key = FreshKey(settings.MaybeWhole("seed"));
  if (!key) return key.error();
  return Session::Create(row, settings, std::move(inputs), *key,
                         settings.Has("seed"));
}

}  // namespace sotto
