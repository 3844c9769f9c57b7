#pragma once

#include <cstdint>
#include <string_view>

namespace sotto {

// A move of an adversary: an input for each of the two worlds, and a flag for a
// challenge, the round of the protected user.
template <typename Input>
struct Move {
  Input zero{};
  Input one{};
  bool challenge = false;

  const Input& In(bool world) const { return world ? one : zero; }
};

// A move that is the same in both worlds, and a challenge.
template <typename Input>
Move<Input> Same(const Input& input) {
  return {input, input, false};
}
template <typename Input>
Move<Input> Challenge(const Input& zero, const Input& one) {
  return {zero, one, true};
}

// The rules of the games of the papers. Each has a number of rounds, the reason
// why a move is refused (empty: it is not), given the number of earlier
// challenges, and a flag that hides the answer.
//
// Threads: value types.
namespace game {

inline constexpr std::string_view kDiffer =
    "the inputs differ outside a challenge";
inline constexpr std::string_view kTooMany =
    "more challenges than the game allows";
inline constexpr std::string_view kTooFar =
    "the values differ by more than the sensitivity";

inline constexpr std::string_view kFalls =
    "a monotone query is lower in world one";

inline bool Within(std::int64_t a, std::int64_t b, std::int64_t distance) {
  const auto gap =
      a > b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
            : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
  return gap <= static_cast<std::uint64_t>(distance);
}

// [POP] Algorithm 2. Two neighbouring data sets and adaptive queries of bounded
// sensitivity: a query is its value on either. Every answer is seen.
struct AdaptiveQuery {
  std::uint64_t rounds = 1;
  std::int64_t sensitivity = 1;

  std::string_view Refuse(const Move<std::int64_t>& move,
                          std::uint64_t /*challenges*/) const {
    return Within(move.zero, move.one, sensitivity) ? "" : kTooFar;
  }
  bool Hides(bool /*challenge*/) const { return false; }
};

// The same for monotone queries: one data set has a record more, and every
// query is at least as high on it.
struct MonotoneQuery {
  std::uint64_t rounds = 1;
  std::int64_t sensitivity = 1;

  std::string_view Refuse(const Move<std::int64_t>& move,
                          std::uint64_t /*challenges*/) const {
    if (move.one < move.zero) return kFalls;
    return Within(move.zero, move.one, sensitivity) ? "" : kTooFar;
  }
  bool Hides(bool /*challenge*/) const { return false; }
};

// [POP] Algorithm 3. Data come one a round, chosen adaptively; they differ in
// one round, there by at most `distance` (for counts: by one). Every answer is
// seen.
struct AdaptiveInput {
  std::uint64_t rounds = 1;
  std::int64_t distance = 1;
  std::uint64_t challenges = 1;

  std::string_view Refuse(const Move<std::int64_t>& move,
                          std::uint64_t before) const {
    if (!move.challenge) return move.zero == move.one ? "" : kDiffer;
    if (before >= challenges) return kTooMany;
    return Within(move.zero, move.one, distance) ? "" : kTooFar;
  }
  bool Hides(bool /*challenge*/) const { return false; }
};

// [POP] Algorithm 4, challenge-DP: users come one a round, g of them are
// challenges with any two inputs, and the answers to those stay hidden. With
// interactions instead of inputs (general_game.h) it is Algorithm 8.
struct Online {
  std::uint64_t rounds = 1;      // T
  std::uint64_t challenges = 1;  // g

  template <typename Input>
  std::string_view Refuse(const Move<Input>& move, std::uint64_t before) const {
    if (!move.challenge) return move.zero == move.one ? "" : kDiffer;
    return before < challenges ? "" : kTooMany;
  }
  bool Hides(bool challenge) const { return challenge; }
};

// [POP] Algorithm 9: the data sets are neighbours, so every query may differ by
// the sensitivity, and one challenge, whose answer is hidden, by anything.
struct ChallengeThreshold {
  std::uint64_t rounds = 1;
  std::int64_t sensitivity = 1;

  std::string_view Refuse(const Move<std::int64_t>& move,
                          std::uint64_t before) const {
    if (move.challenge) return before < 1 ? "" : kTooMany;
    return Within(move.zero, move.one, sensitivity) ? "" : kTooFar;
  }
  bool Hides(bool challenge) const { return challenge; }
};

}  // namespace game
}  // namespace sotto
