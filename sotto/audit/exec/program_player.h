#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "sotto/audit/exec/program_peers.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"

namespace sotto {

// What a program that plays the mechanism is told and may answer.
struct ProgramMechanism {
  std::shared_ptr<ProgramPeers> peers;
  std::uint64_t rounds = 0;
  // Answers are taken as multiples of this, rounded.
  double unit = 1;
  // In multiples; anything else ends the game as broken.
  std::int64_t low = -kMost;
  std::int64_t high = kMost;

  // Beyond it a double is no longer every whole number.
  static constexpr std::int64_t kMost = std::int64_t{1} << 53;
};

// A program of the user's as the mechanism of a game:
//
//   {"op":"begin","rounds":20,"seed":7} -> {"ok":true}
//   {"op":"step","round":1,"x":3}       -> {"answer":1}
//                      or, for the last, {"answer":1,"halted":true}
//
// `begin` is a new game: whatever was before must be forgotten, and the noise
// drawn anew, from the seed if the report is to be reproducible.
// `x` is what this world has in the round. Fails as ProgramPeers does, and for
// an answer that is no number or out of range.
//
// Threads: not thread-safe.
class ProgramPlayer {
 public:
  explicit ProgramPlayer(const ProgramMechanism& mechanism)
      : mechanism_(&mechanism) {}

  Result<std::int64_t> Step(const Json& x, Rng& rng);
  bool halted() const { return halted_; }

 private:
  Status Begin(Rng& rng);

  const ProgramMechanism* mechanism_;
  std::optional<ProgramPeer> peer_;
  std::uint64_t round_ = 0;
  bool halted_ = false;
};

// {"op":"begin",...} -> {"ok":true}, for both kinds of programs.
Status BeginProgramGame(ProgramPeer& peer, std::uint64_t rounds,
                        std::uint64_t seed, const Json::Object& more = {});

}  // namespace sotto
