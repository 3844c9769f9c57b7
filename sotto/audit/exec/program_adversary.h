#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sotto/audit/exec/program_peers.h"
#include "sotto/audit/games/rules.h"
#include "sotto/audit/games/view.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"

namespace sotto {

// A program that plays the adversary, with the description of its opponent.
struct ProgramOpponent {
  std::shared_ptr<ProgramPeers> peers;
  std::string target = {};
  std::string mechanism = {};
};

// The move of a program in a round, before it is parsed as inputs of the game.
// Empty: it ends the game.
struct ProgramMove {
  Json zero;
  Json one;
  bool challenge = false;
};

// A conversation with a user's program that plays the adversary:
//
//   {"op":"begin","rounds":20,"seed":7,"target":"stopper",
//    "mechanism":"Stopper"}              -> {"ok":true}
//   {"op":"move","round":1}              -> {"zero":3,"one":4}
//   {"op":"move","round":2,"seen":0}     -> {"x":1}, the same in both worlds
//   {"op":"move","round":3,"hidden":true}
//                                        -> {"zero":0,"one":1,"challenge":true}
//   ...                                  -> {"end":true}
//
// `seen` is the answer of the previous round; `hidden` replaces it where the
// game hides it. Fails as ProgramPeers does.
//
// Threads: not thread-safe.
class ProgramMoves {
 public:
  explicit ProgramMoves(const ProgramOpponent& opponent)
      : opponent_(opponent), peer_(opponent.peers->Borrow()) {}

  Status Begin(std::uint64_t rounds, std::uint64_t seed);
  Result<std::optional<ProgramMove>> Next(const View& view);

 private:
  const ProgramOpponent& opponent_;
  ProgramPeer peer_;
};

// Inputs of games as JSON: `Status ReadInput(const Json&, Input&)`, declared
// where the input is defined. Integers and JSON are read here.
Status ReadInput(const Json& json, std::int64_t& input);
Status ReadInput(const Json& json, Json& input);

template <typename Input>
concept JsonInput = requires(const Json& json, Input& input) {
  { ReadInput(json, input) } -> std::same_as<Status>;
};

// The adversary of one game, which begins with Begin: from then on the program
// runs, also if the game is played in a copy of this process. fault() is the
// error of the program.
//
// Threads: not thread-safe.
template <JsonInput Input>
class ProgramAdversary {
 public:
  // Keeps a reference.
  explicit ProgramAdversary(const ProgramOpponent& opponent)
      : moves_(opponent) {}

  void Begin(std::uint64_t rounds, std::uint64_t seed) {
    const Status begun = moves_.Begin(rounds, seed);
    if (!begun) fault_ = begun.error().message;
  }

  std::optional<Move<Input>> Next(const View& view) {
    if (fault_) return std::nullopt;
    const auto said = moves_.Next(view);
    if (!said) {
      fault_ = said.error().message;
      return std::nullopt;
    }
    if (!*said) return std::nullopt;
    Move<Input> move;
    move.challenge = (*said)->challenge;
    Status read = ReadInput((*said)->zero, move.zero);
    if (read) read = ReadInput((*said)->one, move.one);
    if (read) return move;
    fault_ = read.error().message;
    return std::nullopt;
  }
  const std::optional<std::string>& fault() const { return fault_; }

 private:
  ProgramMoves moves_;
  std::optional<std::string> fault_;
};

}  // namespace sotto
