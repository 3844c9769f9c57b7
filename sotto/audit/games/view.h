#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace sotto {

// What an adversary has seen of a game: one number a round, in order. The
// answer of a hidden challenge is kHidden; a mechanism that halts ends the
// view, and the length tells when.
//
// Adversaries are deterministic given their own first move: whoever wants a
// random one draws it before the games, so that its choice is no part of the
// view. Threads: a value type.
struct View {
  static constexpr std::int64_t kHidden =
      std::numeric_limits<std::int64_t>::min();

  std::vector<std::int64_t> seen;

  std::size_t rounds() const { return seen.size(); }
  void Clear() { seen.clear(); }
  friend bool operator==(const View&, const View&) = default;
};

}  // namespace sotto
