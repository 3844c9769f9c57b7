#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sotto/random/rng.h"

namespace sotto {

// The visible answers of one world, one a round; each begins with BeginRound.
using ReplayAnswers = std::vector<std::int64_t>;
using ReplayWorld = std::function<ReplayAnswers(bool one, Rng& rng)>;

// A mechanism to be played in two neighbouring worlds.
struct Replay {
  std::string header;
  ReplayWorld world;
  // Data reach the answers by way of numbers with noise and in no other: the
  // other world, given this one's numbers, says the same. Where a bit meets
  // coins instead there are no such numbers.
  bool by_numbers = true;
};

// One of each header of mechanisms that takes an Rng.
std::vector<Replay> AllReplays();

// Plays up to `count` rounds and returns the answers of `step(round)`, without
// that of the round `hidden`. Stops at the first round that has no answer.
template <typename Step>
ReplayAnswers PlayRounds(std::uint64_t count, Rng& rng, const Step& step,
                         std::uint64_t hidden = 0) {
  ReplayAnswers answers;
  for (std::uint64_t round = 1; round <= count; ++round) {
    rng.BeginRound(round, round == hidden);
    const std::optional<std::int64_t> answer = step(round);
    if (!answer) break;
    if (round != hidden) answers.push_back(*answer);
  }
  return answers;
}

}  // namespace sotto
