#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "sotto/audit/games/game.h"
#include "sotto/audit/games/view.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"

namespace sotto {

// [POP] Algorithm 5: a meta adversary chooses, one after the other, mechanisms
// and adversaries for them, and sees the outcomes; all games have the same bit.
// One such game is a function that plays PlayGame into its own view.
//
// Threads: pure functions.
using ChosenGame = std::function<Status(bool world, Rng& rng, View& view)>;

// The view of the meta adversary: all views in order, each after its length.
// Meta::Next(const View&) returns std::optional<ChosenGame>. Fails as the games
// do, with the number of the game.
template <typename Meta>
Status PlayComposition(std::uint64_t games, bool world, Meta& meta, Rng& rng,
                       View& view) {
  view.Clear();
  View inner;
  for (std::uint64_t game = 1; game <= games; ++game) {
    const std::optional<ChosenGame> chosen = meta.Next(view);
    if (!chosen) break;
    if (Status played = (*chosen)(world, rng, inner); !played) {
      return Error{played.error().code, "game " + std::to_string(game) + ", " +
                                            played.error().message};
    }
    view.seen.push_back(static_cast<std::int64_t>(inner.rounds()));
    view.seen.insert(view.seen.end(), inner.seen.begin(), inner.seen.end());
  }
  return Ok();
}

}  // namespace sotto
