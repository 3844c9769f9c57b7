#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/audit/games/game.h"
#include "sotto/audit/games/rules.h"
#include "sotto/audit/games/view.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"

namespace sotto {

// [PERP] Figure 1: a training set, then unlabelled queries without a limit. The
// one challenge is a record of the set (round 0) or a query, which in world 0
// is "no query". The guarantee is (epsilon, delta(i)) for a challenge in round
// i. So the game returns i, and games of different i must not be mixed.
//
//   Mechanism::Train(std::span<const Record>, Rng&) -> Status
//   Mechanism::Step(const std::optional<Query>&, Rng&) -> Result<int64_t>
//   Adversary::Sets() -> EverlastingSets<Record>
//   Adversary::Next(const View&) -> std::optional<EverlastingMove<Query>>
//
// Threads: pure functions.
template <typename Record>
struct EverlastingSets {
  std::vector<Record> zero = {};
  std::vector<Record> one = {};
};

template <typename Query>
struct EverlastingMove {
  Query query{};
  bool challenge = false;
};

namespace game {

// Compares two sets: one has one record more, or both are equal (0). Empty
// otherwise.
template <typename Record>
std::optional<int> RecordsApart(const std::vector<Record>& a,
                                const std::vector<Record>& b) {
  if (a == b) return 0;
  const auto& large = a.size() > b.size() ? a : b;
  const auto& small = a.size() > b.size() ? b : a;
  if (large.size() != small.size() + 1) return std::nullopt;
  std::size_t i = 0;
  while (i < small.size() && small[i] == large[i]) ++i;
  while (i < small.size() && small[i] == large[i + 1]) ++i;
  if (i == small.size()) return 1;
  return std::nullopt;
}

}  // namespace game

// The round of the challenge, if there was one. Fails as PlayGame does.
template <typename Record, typename Query, typename M, typename B>
Result<std::optional<std::uint64_t>> PlayEverlasting(std::uint64_t rounds,
                                                     bool world, M& mechanism,
                                                     B& adversary, Rng& rng,
                                                     View& view) {
  view.Clear();
  const EverlastingSets<Record> sets = adversary.Sets();
  const auto apart = game::RecordsApart(sets.zero, sets.one);
  if (!apart) return GameFault(0, "the sets are not neighbours");
  std::optional<std::uint64_t> challenge;
  if (*apart > 0) challenge = 0;
  if (Status s = mechanism.Train(world ? sets.one : sets.zero, rng); !s) {
    return GameFault(0, s.error().message);
  }
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    const std::optional<EverlastingMove<Query>> move = adversary.Next(view);
    if (!move) break;
    if (move->challenge && challenge) return GameFault(round, game::kTooMany);
    if (move->challenge) challenge = round;
    rng.BeginRound(round, move->challenge);
    std::optional<Query> query = move->query;
    if (move->challenge && !world) query.reset();
    const Result<std::int64_t> answer = mechanism.Step(query, rng);
    if (!answer) return GameFault(round, answer.error().message);
    view.seen.push_back(move->challenge ? View::kHidden : *answer);
  }
  return challenge;
}

}  // namespace sotto
