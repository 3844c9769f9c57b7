#include "sotto/frontend/line_state.h"

#include <array>
#include <utility>

#include "sotto/base/bytes.h"
#include "sotto/base/json.h"
#include "sotto/data/files/distinct_files.h"
#include "sotto/frontend/line_mechanisms.h"

namespace sotto {
namespace {

Status CheckFiles(const Settings& said, const std::string& data) {
  const std::array<NamedFile, 3> inputs = {
      {{"--load", said.Text("load"), /*state=*/true},
       {"--data", data},
       {"standard input", "-"}}};
  const std::array<NamedFile, 2> outputs = {
      {{"--save", said.Text("save"), /*state=*/true},
       {"standard output", "-"}}};
  SOTTO_TRY(CheckDistinct(inputs, outputs));
  if (said.Text("save").empty()) {
    if (!said.Has("save-every")) return Ok();
    return InvalidArgument("--save-every goes with --save");
  }
  const Status writable = CheckStateCanBeWritten(said.Text("save"));
  return writable ? Ok() : InvalidArgument(writable.error().message);
}

Result<LineStart> Fresh(const Settings& said, std::string_view kind) {
  SOTTO_TRY_ASSIGN(const auto key, LineKey(said, kind));
  return LineStart{said, key, said.Has("seed")};
}

Result<LineStart> Decode(const Settings& said, std::string_view payload) {
  ByteReader reader(payload);
  const auto kept = Json::Parse(reader.Text());
  const auto key = Key::Load(reader);
  const auto seeded = reader.Number<std::uint8_t>();
  const auto lines = reader.Number<std::uint64_t>();
  std::string mechanism(reader.Text());
  if (!kept || !key || !reader.Finish()) {
    return Corruption("malformed state");
  }
  Settings settings = said;
  SOTTO_TRY(settings.Adopt(*kept));
  SOTTO_TRY(settings.CheckRequired());
  return LineStart{std::move(settings), *key, seeded != 0, std::move(mechanism),
                   lines};
}

Result<LineStart> Resume(const Settings& said, std::string_view kind) {
  if (said.Has("seed")) {
    return InvalidArgument(
        "--seed starts a run and cannot be given to one that is resumed");
  }
  const std::string& path = said.Text("load");
  const auto state = ReadStateFile(path, kind, kLineStateVersion);
  if (!state) return InvalidArgument(state.error().message);
  auto start = Decode(said, state->payload);
  if (!start) {
    return Error{start.error().code, path + ": " + start.error().message};
  }
  start->mark = state->mark;
  return start;
}

}  // namespace

Result<LineStart> StartLines(const Settings& said, std::string_view kind,
                             const std::string& data) {
  SOTTO_TRY(CheckFiles(said, data));
  SOTTO_TRY_ASSIGN(auto states, HoldStates(said));
  auto start = said.Has("load") ? Resume(said, kind) : Fresh(said, kind);
  if (start) start->states = std::move(states);
  return start;
}

SavedState LineState(const LineStart& start, std::string_view kind,
                     const Key& key, std::uint64_t lines,
                     const std::string& mechanism) {
  ByteWriter payload;
  payload.Text(start.settings.ToSavedJson().Dump());
  key.Save(payload);
  payload.Number(static_cast<std::uint8_t>(start.seeded ? 1 : 0));
  payload.Number(lines);
  payload.Text(mechanism);
  return {std::string(kind), kLineStateVersion, std::move(payload).bytes()};
}

}  // namespace sotto
