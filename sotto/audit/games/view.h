#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace sotto {

// The view of an adversary: one number a round, in order. The answer of a
// hidden challenge is kHidden. A mechanism that halts ends the view, so its
// length shows the time.
//
// Adversaries are deterministic given their first move. Draw a random adversary
// before the games, so that its choice is not part of the view. Threads: a
// value type.
struct View {
  static constexpr std::int64_t kHidden =
      std::numeric_limits<std::int64_t>::min();

  std::vector<std::int64_t> seen;

  std::size_t rounds() const { return seen.size(); }
  void Clear() { seen.clear(); }
  friend bool operator==(const View&, const View&) = default;
};

}  // namespace sotto
