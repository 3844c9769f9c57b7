#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/audit/games/rules.h"
#include "sotto/audit/games/view.h"
#include "sotto/audit/point_input.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"

namespace sotto {

// A learner of a finite class that publishes its function, as a player. The
// public view: the sum of the points predicted 1, and the number of changes.
//
// Threads: not thread-safe.
template <typename Learner>
class ClassPlayer {
 public:
  explicit ClassPlayer(Learner learner) : learner_(std::move(learner)) {}

  Result<std::int64_t> Step(const PointInput& input, Rng& rng) {
    if (input.absent) {
      learner_.PlayEmptyRound(rng);
    } else {
      const auto round =
          learner_.Open(static_cast<std::uint32_t>(input.point), rng);
      // Delayed labels are ignored.
      if (input.label && input.delay == 0) learner_.Close(round, *input.label);
    }
    const auto& published = learner_.hypothesis();
    std::int64_t shown = 1000 * static_cast<std::int64_t>(learner_.changes());
    for (std::size_t x = 0; x < published.size(); ++x) {
      shown += published[x] ? static_cast<std::int64_t>(x) + 1 : 0;
    }
    return shown;
  }
  bool halted() const { return false; }

  Result<bool> Says(std::int64_t point, Rng&) const {
    const auto& published = learner_.hypothesis();
    const auto x = static_cast<std::size_t>(point);
    return x < published.size() && published[x];
  }

 private:
  Learner learner_;
};

// All users bring the same point with label 1; one brings another label or
// another point, or is absent.
struct OneExample {
  std::uint64_t lead = 0;
  PointInput one = {};

  std::optional<Move<PointInput>> Next(const View& view) const {
    const PointInput usual{.point = 1, .label = true};
    if (view.rounds() == lead) return Challenge(usual, one);
    return Same(usual);
  }
};

// For each number of users before the protected one.
inline std::vector<OneExample> OneExamples(
    const std::vector<std::uint64_t>& leads) {
  std::vector<OneExample> variants;
  for (const std::uint64_t lead : leads) {
    for (const PointInput& one :
         {PointInput{.point = 1, .label = false},
          PointInput{.point = 2, .label = true}, PointInput{.absent = true}}) {
      variants.push_back({lead, one});
    }
  }
  return variants;
}

}  // namespace sotto
