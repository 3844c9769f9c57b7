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

// A program that plays the mechanism, and the range of its answers.
struct ProgramMechanism {
  std::shared_ptr<ProgramPeers> peers;
  std::uint64_t rounds = 0;
  // Answers are taken as multiples of this, rounded.
  double unit = 1;
  // Range in multiples. Any other answer ends the game as broken.
  std::int64_t low = -kMost;
  std::int64_t high = kMost;

  // Beyond it doubles skip integers.
  static constexpr std::int64_t kMost = std::int64_t{1} << 53;
};

// A user's program as the mechanism of a game:
//
//   {"op":"begin","rounds":20,"seed":7} -> {"ok":true}
//   {"op":"step","round":1,"x":3}       -> {"answer":1}
//                      or, for the last, {"answer":1,"halted":true}
//
// `begin` starts a new game: the program must reset its state and draw new
// noise, from the seed for a reproducible report. `x` is this world's input in
// the round. Fails as ProgramPeers does, and for an answer that is not a number
// or out of range.
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
