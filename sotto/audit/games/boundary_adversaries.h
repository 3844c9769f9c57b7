#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sotto/audit/games/rules.h"
#include "sotto/audit/games/view.h"

namespace sotto {

// Adversaries against predictors that tell whether a number lies above a
// boundary that they know from a set: rows of a training set come first, then
// queries.
//
// Threads: value types.
struct SideInput {
  double value = 0;
  bool training = false;  // a row of the training set
  bool absent = false;
  friend bool operator==(const SideInput&, const SideInput&) = default;
};

// Boundary probing: the training set is 1, 2, ..., but for one row, which lies
// below all others or is not there; then the same query for ever, near the
// boundary. One that follows goes a step down after "inside" and a step up
// after "outside", and so stays where answers tell most.
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

// Flooding: all know the training set 1, 2, ...; the protected user asks where
// nothing can be decided, or does not come; the others ask a little above, all
// at places of their own, so often that the side starts over on what it could
// not decide, and then probe the new boundary: so many of them up, and one that
// follows goes as above.
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
