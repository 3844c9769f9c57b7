#pragma once

#include <cstdint>
#include <functional>

#include "sotto/audit/games/game.h"
#include "sotto/audit/games/rules.h"
#include "sotto/base/result.h"

namespace sotto {

// [POP] Algorithm 8: a round is an arbitrary interaction with one user, whom
// the adversary plays. The user's view at its end is a number, hidden if the
// round is the challenge. Two users are the same if they are the same object,
// so game::Online refuses two outside a challenge.
//
//   Interaction<Service> asks_twice = [](Service& service, Rng& rng) {...};
//   Move<const Interaction<Service>*> move = Challenge(&asks_twice, &leaves);
//   PlayGame<const Interaction<Service>*>(game::Online{.rounds = 9}, world,
//                                         player, adversary, rng, view);
//
// Threads: as the mechanism.
template <typename Mechanism>
using Interaction = std::function<Result<std::int64_t>(Mechanism&, Rng&)>;

// A mechanism as the player of such games. `mechanism` must outlive it.
template <typename Mechanism>
class GeneralPlayer {
 public:
  explicit GeneralPlayer(Mechanism& mechanism) : mechanism_(&mechanism) {}

  Result<std::int64_t> Step(const Interaction<Mechanism>* const& user,
                            Rng& rng) {
    return (*user)(*mechanism_, rng);
  }
  bool halted() const { return false; }

 private:
  Mechanism* mechanism_;
};

}  // namespace sotto
