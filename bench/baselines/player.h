#pragma once

#include <optional>

#include "sotto/base/feature_view.h"
#include "sotto/base/label.h"

namespace sotto::bench {

// What a learner says before it sees the label.
struct Prediction {
  Label label;
  // Of the positive one of two, where the learner has one.
  std::optional<double> probability = {};
};

// An online learner to compare with: it says something about a row and is then
// told its label, at once. For measurements only: the noise of private ones is
// in doubles.
//
// Threads: not thread-safe.
class Player {
 public:
  Player() = default;
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;
  virtual ~Player() = default;

  virtual Prediction Tell(FeatureView x) = 0;
  // The label of the row that was asked about last.
  virtual void Learn(FeatureView x, const Label& y) = 0;
};

}  // namespace sotto::bench
