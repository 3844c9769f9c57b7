#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/audit/game_pair.h"
#include "sotto/audit/games/composition_game.h"
#include "sotto/audit/games/game.h"
#include "sotto/audit/games/view.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"

namespace sotto {

// [POP] Algorithm 5 as games of an audit: copies of one mechanism, all of the
// same world. The meta adversary has two adversaries and sends the second one
// into the next game if the last answer that it saw was positive.
template <typename Adversary>
struct TwoTactics {
  Adversary after_zero;
  Adversary after_one;
};

// `fresh()` makes the mechanism of one game.
template <typename Rules, typename Fresh, typename Adversary>
class CompositionGamePair final : public GamePair {
 public:
  CompositionGamePair(std::uint64_t copies, Rules rules, Fresh fresh,
                      std::vector<TwoTactics<Adversary>> tactics)
      : copies_(copies),
        rules_(std::move(rules)),
        fresh_(std::move(fresh)),
        tactics_(std::move(tactics)) {}

  std::size_t variants() const override { return tactics_.size(); }
  Status Play(std::size_t variant, bool world, Rng& rng,
              View& view) const override {
    Meta meta{*this, tactics_[variant]};
    return PlayComposition(copies_, world, meta, rng, view);
  }

 private:
  struct Meta {
    const CompositionGamePair& pair;
    const TwoTactics<Adversary>& tactics;

    std::optional<ChosenGame> Next(const View& view) const {
      const bool one = !view.seen.empty() && view.seen.back() > 0;
      return ChosenGame([this, one](bool world, Rng& rng, View& inner) {
        auto mechanism = pair.fresh_();
        Adversary adversary = one ? tactics.after_one : tactics.after_zero;
        return PlayGame<std::int64_t>(pair.rules_, world, mechanism, adversary,
                                      rng, inner);
      });
    }
  };

  std::uint64_t copies_;
  Rules rules_;
  Fresh fresh_;
  std::vector<TwoTactics<Adversary>> tactics_;
};

template <typename Rules, typename Fresh, typename Adversary>
std::unique_ptr<GamePair> MakeCompositionPair(
    std::uint64_t copies, Rules rules, Fresh fresh,
    std::vector<TwoTactics<Adversary>> tactics) {
  return std::make_unique<CompositionGamePair<Rules, Fresh, Adversary>>(
      copies, std::move(rules), std::move(fresh), std::move(tactics));
}

}  // namespace sotto
