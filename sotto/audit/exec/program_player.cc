#include "sotto/audit/exec/program_player.h"

#include <cmath>

namespace sotto {
namespace {

// Seeds that every language holds exactly.
constexpr int kSeedShift = 11;

bool True(const Json* value) {
  return value != nullptr && value->boolean() != nullptr && *value->boolean();
}

Result<std::int64_t> GetAnswer(const Json& said,
                               const ProgramMechanism& mechanism) {
  const Json* answer = said.Find("answer");
  const auto number = answer == nullptr ? std::nullopt : answer->number();
  if (!number || !std::isfinite(*number)) {
    return Unavailable("the program said " + said.Dump() +
                       ", without a number \"answer\"");
  }
  const double multiple = std::round(*number / mechanism.unit);
  if (!(multiple >= static_cast<double>(mechanism.low) &&
        multiple <= static_cast<double>(mechanism.high))) {
    return Unavailable("the answer " + answer->Dump() + " is out of range");
  }
  return static_cast<std::int64_t>(multiple);
}

}  // namespace

Status BeginProgramGame(ProgramPeer& peer, std::uint64_t rounds,
                        std::uint64_t seed, const Json::Object& more) {
  Json begin = Json::Object{
      {"op", "begin"}, {"rounds", rounds}, {"seed", seed >> kSeedShift}};
  for (const auto& [name, value] : more) begin[name] = value;
  SOTTO_TRY_ASSIGN(const auto said, peer.Ask(begin));
  if (True(said.Find("ok"))) return Ok();
  return Unavailable("the program said " + said.Dump() +
                     R"( to "begin"; expected {"ok":true})");
}

Status ProgramPlayer::Begin(Rng& rng) {
  peer_.emplace(mechanism_->peers->Borrow());
  return BeginProgramGame(*peer_, mechanism_->rounds, rng.Next());
}

Result<std::int64_t> ProgramPlayer::Step(const Json& x, Rng& rng) {
  if (!peer_) {
    SOTTO_TRY(Begin(rng));
  }
  SOTTO_TRY_ASSIGN(
      const auto said,
      peer_->Ask(Json::Object{{"op", "step"}, {"round", ++round_}, {"x", x}}));
  const Json* halted = said.Find("halted");
  if (halted != nullptr && halted->boolean() == nullptr) {
    return Unavailable("\"halted\" is " + halted->Dump() +
                       "; expected true or false");
  }
  halted_ = True(halted);
  return GetAnswer(said, *mechanism_);
}

}  // namespace sotto
