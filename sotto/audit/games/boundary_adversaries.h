#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sotto/audit/games/rules.h"
#include "sotto/audit/games/view.h"

namespace sotto {

// Adversaries against predictors that decide if a number is above a boundary
// learned from a training set. Rows of the set come first, then queries.
//
// Threads: value types.
struct SideInput {
  double value = 0;
  bool training = false;  // a row of the training set
  bool absent = false;
  friend bool operator==(const SideInput&, const SideInput&) = default;
};

// Boundary probing: the training set is 1, 2, ..., but for one row, which is
// below all others or missing; then the same query near the boundary in every
// round. A variant that follows steps down after "inside" and up after
// "outside", and so stays where answers reveal most.
struct BoundaryProbing {
  std::uint64_t rows = 0;
  double at = 0;
  bool follows = false;

  std::optional<Move<SideInput>> Next(const View& view) {
    const auto round = view.rounds();
    if (round + 1 < rows) {
      return Same(
          SideInput{.value = static_cast<double>(round) + 1, .training = true});
    }
    if (round + 1 == rows) {
      return Challenge(SideInput{.value = 0.5, .training = true},
                       SideInput{.training = true, .absent = true});
    }
    if (follows && round > rows) Step(view);
    return Same(SideInput{.value = at});
  }
  void Step(const View& view) {
    at = std::clamp(at + (view.seen.back() == 1 ? -1 : 1), 0.75,
                    static_cast<double>(rows) + 0.5);
  }
};

// Flooding of a public training set 1, 2, ... The protected user asks where
// nothing can be decided, or is absent. The others ask a little above, all at
// different places, until the side restarts on undecided queries. Then they
// probe the new boundary, at a fixed place or following as above.
struct BoundaryFlooding {
  std::uint64_t rows = 0;
  std::uint64_t floods = 0;
  double between = 0;  // where nothing can be decided
  double at = 0;       // of the probes: the share of the places below them
  bool follows = false;

  std::optional<Move<SideInput>> Next(const View& view) {
    const auto round = view.rounds();
    if (round < rows) {
      return Same(
          SideInput{.value = static_cast<double>(round) + 1, .training = true});
    }
    if (round == rows) {
      return Challenge(SideInput{.value = between}, SideInput{.absent = true});
    }
    const auto since = round - rows;
    if (since <= floods) {
      return Same(SideInput{.value = Place(static_cast<double>(since) /
                                           static_cast<double>(floods + 1))});
    }
    if (follows && since > floods + 1) {
      at = std::clamp(at + (view.seen.back() == 1 ? -kStep : kStep), 0.0, 1.0);
    }
    return Same(SideInput{.value = Place(at)});
  }

 private:
  static constexpr double kStep = 0.05;

  // Between this row of the training set and the next.
  double Place(double share) const { return between + 0.1 + 0.8 * share; }
};

}  // namespace sotto
