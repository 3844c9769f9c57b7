#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/audit/games/game.h"
#include "sotto/audit/games/view.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"

namespace sotto {

// [PERP] Definitions 3.4 and A.1, the leakage attack: in rounds of the
// adversary's choice the predictor gets a random point that the adversary does
// not see. The adversary sees all answers. At the end it names a point, and
// wins if it is one of the random points. A predictor is leaking if some
// adversary wins with probability 1/2. One that is (epsilon, delta)-private
// with delta(i) that sum up to less than 1/8 is not (Observation 3.9); one with
// a fixed delta can be, from 1 / delta rounds on (Fact 3.5).
//
// Points are the multiples of 2^-53 in [0, 1), by their number.
//
//   Mechanism::Step(const LeakageInput&, Rng&) -> Result<int64_t>
//   Adversary::Next(const View&) -> std::optional<LeakageMove>
//   Adversary::Guess(const View&) -> std::uint64_t
//
// Threads: pure functions.
inline constexpr int kLeakageDigits = 53;
inline constexpr std::uint64_t kLeakagePoints = std::uint64_t{1}
                                                << kLeakageDigits;

struct LeakageInput {
  std::uint64_t point = 0;
  std::optional<bool> label = {};  // for predictors that learn from labels

  double x() const {
    return std::ldexp(static_cast<double>(point), -kLeakageDigits);
  }
};

struct LeakageMove {
  LeakageInput input = {};
  bool random = false;  // with a random point instead of the input's
};

// True if the adversary won. Fails as PlayGame does.
template <typename M, typename B>
Result<bool> PlayLeakage(std::uint64_t rounds, M& mechanism, B& adversary,
                         Rng& rng, View& view) {
  view.Clear();
  std::vector<std::uint64_t> secret;
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    std::optional<LeakageMove> move = adversary.Next(view);
    if (!move) break;
    if (move->input.point >= kLeakagePoints) {
      return GameFault(round, "there is no such point");
    }
    if (move->random) {
      secret.push_back(rng.Next() >> (64 - kLeakageDigits));
      move->input.point = secret.back();
    }
    const Result<std::int64_t> answer = mechanism.Step(move->input, rng);
    if (!answer) return GameFault(round, answer.error().message);
    view.seen.push_back(*answer);
  }
  return std::ranges::find(secret, adversary.Guess(view)) != secret.end();
}

}  // namespace sotto
