#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sotto/audit/exec/program_adversary.h"
#include "sotto/audit/games/game.h"
#include "sotto/audit/games/view.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"

namespace sotto {

// A mechanism and adversaries of one kind against it: variants of one idea, of
// which the auditor takes the best on games that are not counted.
//
// Threads: const calls may run at the same time.
class GamePair {
 public:
  virtual ~GamePair() = default;

  virtual std::size_t variants() const = 0;
  // One game from its beginning. Fails as PlayGame does.
  virtual Status Play(std::size_t variant, bool world, Rng& rng,
                      View& view) const = 0;
  // The same game with a user's program as the adversary. Null if its moves
  // have no JSON form.
  virtual std::unique_ptr<GamePair> WithProgram(
      const ProgramOpponent& /*adversary*/) const {
    return nullptr;
  }
};

// A mechanism against a user's program.
template <JsonInput Input, typename Rules, typename Fresh>
class ProgramGamePair final : public GamePair {
 public:
  ProgramGamePair(Rules rules, Fresh fresh, ProgramOpponent adversary)
      : rules_(std::move(rules)),
        fresh_(std::move(fresh)),
        opponent_(std::move(adversary)) {}

  std::size_t variants() const override { return 1; }
  Status Play(std::size_t, bool world, Rng& rng, View& view) const override {
    auto mechanism = fresh_();
    ProgramAdversary<Input> adversary(opponent_);
    adversary.Begin(rules_.rounds, rng.Next());
    return PlayGame<Input>(rules_, world, mechanism, adversary, rng, view);
  }

 private:
  Rules rules_;
  Fresh fresh_;
  ProgramOpponent opponent_;
};

// A mechanism against typed adversaries. `fresh()` makes the mechanism of a new
// game.
//
//   auto pair = MakeGamePair<std::int64_t>(
//       game::AdaptiveQuery{.rounds = 100}, [test] { return Player(test); },
//       std::vector<Parking>{{.value = 0}, {.value = 1}});
template <typename Input, typename Rules, typename Fresh, typename Adversary>
class TypedGamePair final : public GamePair {
 public:
  TypedGamePair(Rules rules, Fresh fresh, std::vector<Adversary> adversaries)
      : rules_(std::move(rules)),
        fresh_(std::move(fresh)),
        adversaries_(std::move(adversaries)) {}

  std::size_t variants() const override { return adversaries_.size(); }
  Status Play(std::size_t variant, bool world, Rng& rng,
              View& view) const override {
    auto mechanism = fresh_();
    Adversary adversary = adversaries_[variant];
    return PlayGame<Input>(rules_, world, mechanism, adversary, rng, view);
  }
  std::unique_ptr<GamePair> WithProgram(
      const ProgramOpponent& adversary) const override {
    if constexpr (JsonInput<Input>) {
      return std::make_unique<ProgramGamePair<Input, Rules, Fresh>>(
          rules_, fresh_, adversary);
    } else {
      return nullptr;
    }
  }

 private:
  Rules rules_;
  Fresh fresh_;
  std::vector<Adversary> adversaries_;
};

template <typename Input, typename Rules, typename Fresh, typename Adversary>
std::unique_ptr<GamePair> MakeGamePair(Rules rules, Fresh fresh,
                                       std::vector<Adversary> adversaries) {
  return std::make_unique<TypedGamePair<Input, Rules, Fresh, Adversary>>(
      std::move(rules), std::move(fresh), std::move(adversaries));
}

}  // namespace sotto
