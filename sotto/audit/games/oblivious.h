#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/audit/games/rules.h"
#include "sotto/audit/games/view.h"

namespace sotto {

// An adversary with a fixed list of moves. With game::Online of one challenge
// it is the game of joint differential privacy ([Counters] Definition B.1): two
// data sets that differ in one point, and all outputs but that point's are
// compared.
//
// Threads: a value type; copies share the moves.
template <typename Input>
class Oblivious {
 public:
  explicit Oblivious(std::vector<Move<Input>> moves)
      : moves_(std::make_shared<const std::vector<Move<Input>>>(
            std::move(moves))) {}

  std::optional<Move<Input>> Next(const View& view) const {
    if (view.rounds() >= moves_->size()) return std::nullopt;
    return (*moves_)[view.rounds()];
  }

 private:
  std::shared_ptr<const std::vector<Move<Input>>> moves_;
};

}  // namespace sotto
