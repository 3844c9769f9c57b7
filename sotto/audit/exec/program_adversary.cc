#include "sotto/audit/exec/program_adversary.h"

#include "sotto/audit/exec/program_player.h"

namespace sotto {
namespace {

bool True(const Json& object, std::string_view name) {
  const Json* value = object.Find(name);
  return value != nullptr && value->boolean() != nullptr && *value->boolean();
}

Json Request(const View& view) {
  Json request = Json::Object{{"op", "move"}, {"round", view.rounds() + 1}};
  if (view.seen.empty()) return request;
  if (view.seen.back() == View::kHidden) {
    request["hidden"] = true;
  } else {
    request["seen"] = view.seen.back();
  }
  return request;
}

}  // namespace

Status ProgramMoves::Begin(std::uint64_t rounds, std::uint64_t seed) {
  return BeginProgramGame(
      peer_, rounds, seed,
      {{"target", opponent_.target}, {"mechanism", opponent_.mechanism}});
}

Result<std::optional<ProgramMove>> ProgramMoves::Next(const View& view) {
  SOTTO_TRY_ASSIGN(const auto said, peer_.Ask(Request(view)));
  if (True(said, "end")) return std::optional<ProgramMove>();
  if (const Json* both = said.Find("x")) {
    return std::optional(ProgramMove{*both, *both, True(said, "challenge")});
  }
  const Json* zero = said.Find("zero");
  const Json* one = said.Find("one");
  if (zero == nullptr || one == nullptr) {
    return Unavailable("the program said " + said.Dump() +
                       "; expected \"zero\" and \"one\", or \"x\", or \"end\"");
  }
  return std::optional(ProgramMove{*zero, *one, True(said, "challenge")});
}

Status ReadInput(const Json& json, std::int64_t& input) {
  // Sums of such numbers fit the type.
  constexpr std::int64_t kMost = ProgramMechanism::kMost;
  const auto whole = json.integer();
  if (!whole || *whole > kMost || *whole < -kMost) {
    return InvalidArgument("the move has " + json.Dump() +
                           " where a whole number is expected");
  }
  input = *whole;
  return Ok();
}

Status ReadInput(const Json& json, Json& input) {
  input = json;
  return Ok();
}

}  // namespace sotto
