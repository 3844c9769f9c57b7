#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/audit/game_pair.h"
#include "sotto/audit/games/everlasting_game.h"
#include "sotto/audit/games/view.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"

namespace sotto {

// A labelled row of one number.
struct LabelledNumber {
  double x = 0;
  bool y = true;
  friend bool operator==(const LabelledNumber&,
                         const LabelledNumber&) = default;
};

// An adversary of the everlasting game over numbers: a training set, with one
// row more in world one unless the challenge is a query, then the same query in
// every round. One that follows steps towards where the answers change.
struct EverlastingProbing {
  std::vector<LabelledNumber> rows;
  std::optional<LabelledNumber> extra = {};  // the protected row
  std::uint64_t challenge = 0;               // its round; 0: a row
  double hidden = 0;                         // the protected query
  double at = 0;
  bool follows = false;

  EverlastingSets<LabelledNumber> Sets() const {
    EverlastingSets<LabelledNumber> sets{rows, rows};
    if (extra) sets.one.push_back(*extra);
    return sets;
  }
  std::optional<EverlastingMove<double>> Next(const View& view) {
    const std::uint64_t round = view.rounds() + 1;
    if (round == challenge) {
      return EverlastingMove<double>{hidden, true};
    }
    const bool seen = !view.seen.empty() && view.seen.back() != View::kHidden;
    if (follows && seen) at += view.seen.back() == 1 ? -1 : 1;
    return EverlastingMove<double>{at, false};
  }
};

// [PERP] Figure 1 as games of an audit. All challenges are in one round, for
// which the claim is.
template <typename Fresh>
class EverlastingGamePair final : public GamePair {
 public:
  EverlastingGamePair(std::uint64_t rounds, std::uint64_t challenge,
                      Fresh fresh, std::vector<EverlastingProbing> adversaries)
      : rounds_(rounds),
        challenge_(challenge),
        fresh_(std::move(fresh)),
        adversaries_(std::move(adversaries)) {}

  std::size_t variants() const override { return adversaries_.size(); }
  Status Play(std::size_t variant, bool world, Rng& rng,
              View& view) const override {
    auto mechanism = fresh_();
    EverlastingProbing adversary = adversaries_[variant];
    SOTTO_TRY_ASSIGN(const auto challenge,
                     (PlayEverlasting<LabelledNumber, double>(
                         rounds_, world, mechanism, adversary, rng, view)));
    if (challenge == challenge_) return Ok();
    return GameFault(challenge.value_or(0),
                     "the claim is for a challenge in another round");
  }

 private:
  std::uint64_t rounds_;
  std::uint64_t challenge_;
  Fresh fresh_;
  std::vector<EverlastingProbing> adversaries_;
};

template <typename Fresh>
std::unique_ptr<GamePair> MakeEverlastingPair(
    std::uint64_t rounds, std::uint64_t challenge, Fresh fresh,
    std::vector<EverlastingProbing> adversaries) {
  return std::make_unique<EverlastingGamePair<Fresh>>(
      rounds, challenge, std::move(fresh), std::move(adversaries));
}

}  // namespace sotto
