#pragma once

namespace sotto {

// Learners of at most four states, for exact games with many copies. State 0 is
// untaught and answers 0 everywhere.

// Remembers the last label of the only point.
struct OnePointMemorizer {
  static constexpr int kPoints = 1;
  static bool Predict(unsigned state, int) { return state != 0; }
  static unsigned Teach(unsigned, int, bool label) { return label ? 1U : 0U; }
};

// Remembers the last label of each of two points: bit x is the answer at x.
struct TwoPointMemorizer {
  static constexpr int kPoints = 2;
  static bool Predict(unsigned state, int point) {
    return (state >> point & 1U) != 0;
  }
  static unsigned Teach(unsigned state, int point, bool label) {
    const unsigned bit = 1U << point;
    return label ? state | bit : state & ~bit;
  }
};

// A threshold on the points 0, 1, 2, moved on mistakes only: the state is the
// number of points, from the top, that are answered by 1.
struct ThreePointThreshold {
  static constexpr int kPoints = 3;
  static bool Predict(unsigned state, int point) {
    return point + static_cast<int>(state) >= kPoints;
  }
  static unsigned Teach(unsigned state, int point, bool label) {
    if (Predict(state, point) == label) return state;
    return static_cast<unsigned>(label ? kPoints - point : kPoints - 1 - point);
  }
};

}  // namespace sotto
