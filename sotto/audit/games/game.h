#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/audit/games/rules.h"
#include "sotto/audit/games/view.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"

namespace sotto {

// A mechanism in a game: takes an input and returns a number. If a step fails,
// the game has no outcome and reports the round.
template <typename M, typename Input>
concept GamePlayer = requires(M& mechanism, const Input& input, Rng& rng) {
  { mechanism.Step(input, rng) } -> std::same_as<Result<std::int64_t>>;
  { mechanism.halted() } -> std::convertible_to<bool>;
};

// An adversary moves, given its view, or ends the game. One that may fail also
// has `const std::optional<std::string>& fault() const`.
template <typename B, typename Input>
concept GameAdversary = requires(B& adversary, const View& view) {
  { adversary.Next(view) } -> std::same_as<std::optional<Move<Input>>>;
};

// The game could not be played to its end. An outcome of it proves nothing.
inline Error GameFault(std::uint64_t round, std::string_view what) {
  return {ErrorCode::kFailedPrecondition,
          "round " + std::to_string(round) + ": " + std::string(what)};
}

// Plays one game in one world, by the rules, into `view`.
//
//   View view;
//   auto played = PlayGame<std::int64_t>(game::AdaptiveQuery{.rounds = 100},
//                                        /*world=*/false, mechanism,
//                                        adversary, rng, view);
//
// Ends after the rules' rounds, when the mechanism has halted or when the
// adversary has no move. Fails with kFailedPrecondition and the round (from 1)
// if the adversary breaks the rules or the mechanism fails.
template <typename Input, typename Rules, GamePlayer<Input> M,
          GameAdversary<Input> B>
Status PlayGame(const Rules& rules, bool world, M& mechanism, B& adversary,
                Rng& rng, View& view) {
  view.Clear();
  std::uint64_t challenges = 0;
  for (std::uint64_t round = 1; round <= rules.rounds; ++round) {
    if (mechanism.halted()) break;
    const std::optional<Move<Input>> move = adversary.Next(view);
    if constexpr (requires { adversary.fault(); }) {
      if (adversary.fault()) {
        return GameFault(round, "the adversary: " + *adversary.fault());
      }
    }
    if (!move) break;
    const std::string_view why = rules.Refuse(*move, challenges);
    if (!why.empty()) return GameFault(round, why);
    challenges += move->challenge ? 1 : 0;
    rng.BeginRound(round, rules.Hides(move->challenge));
    const Result<std::int64_t> answer = mechanism.Step(move->In(world), rng);
    if (!answer) return GameFault(round, answer.error().message);
    view.seen.push_back(rules.Hides(move->challenge) ? View::kHidden : *answer);
  }
  return Ok();
}

}  // namespace sotto
