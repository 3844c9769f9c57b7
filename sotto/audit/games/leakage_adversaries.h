#pragma once

#include <cstdint>
#include <optional>

#include "sotto/audit/games/leakage_game.h"
#include "sotto/audit/games/view.h"

namespace sotto {

// Adversaries of the leakage attack. Each first submits `challenges` random
// points labelled 1, and then queries unlabelled points of its choice.
//
// Threads: value types.

// Finds where answers change, by bisection. Every question is asked `repeats`
// times, and the majority decides.
class BoundaryAttack {
 public:
  BoundaryAttack(std::uint64_t challenges, int repeats)
      : challenges_(challenges), repeats_(repeats) {}

  std::optional<LeakageMove> Next(const View& view) {
    if (view.rounds() < challenges_) {
      return LeakageMove{.input = {.label = true}, .random = true};
    }
    Observe(view);
    if (begun_ && low_ == high_) return std::nullopt;
    ++asked_;
    return LeakageMove{.input = {.point = Middle()}};
  }
  // The smallest point with the same answer as the last one, if answers change
  // once.
  std::uint64_t Guess(const View& view) {
    Observe(view);
    return high_;
  }

 private:
  // The answer at the last point is the one above.
  std::uint64_t Middle() const {
    return begun_ ? low_ + (high_ - low_) / 2 : high_;
  }
  void Observe(const View& view) {
    if (asked_ == 0) return;
    ones_ += view.seen.back() != 0 ? 1 : 0;
    if (asked_ < repeats_) return;
    const bool one = 2 * ones_ > repeats_;
    const std::uint64_t middle = Middle();
    asked_ = 0;
    ones_ = 0;
    if (!begun_) {
      begun_ = true;
      above_ = one;
    } else if (one == above_) {
      high_ = middle;
    } else {
      low_ = middle + 1;
    }
  }

  std::uint64_t challenges_;
  int repeats_;
  int asked_ = 0;
  int ones_ = 0;
  bool begun_ = false;
  bool above_ = false;  // the answer of the last point
  std::uint64_t low_ = 0;
  std::uint64_t high_ = kLeakagePoints - 1;
};

// Interprets the answers as the digits of a point.
struct DigitAttack {
  std::uint64_t challenges = 0;

  std::optional<LeakageMove> Next(const View& view) const {
    if (view.rounds() < challenges) {
      return LeakageMove{.input = {.label = true}, .random = true};
    }
    if (view.rounds() == challenges + kLeakageDigits) return std::nullopt;
    return LeakageMove{.input = {.point = kLeakagePoints / 2}};
  }
  std::uint64_t Guess(const View& view) const {
    std::uint64_t point = 0;
    for (auto i = challenges; i < view.rounds(); ++i) {
      point = 2 * point + (view.seen[i] != 0 ? 1 : 0);
    }
    return point;
  }
};

// The maximum number of rounds of an attack.
constexpr std::uint64_t LeakageRounds(std::uint64_t challenges, int repeats) {
  return challenges + static_cast<std::uint64_t>(repeats) *
                          (std::uint64_t{kLeakageDigits} + 1);
}

}  // namespace sotto
