#pragma once

#include <optional>

#include "sotto/base/feature_view.h"
#include "sotto/base/label.h"

namespace sotto::bench {

// Prediction of a learner, before it sees the label.
struct Prediction {
  Label label;
  // Probability of the positive label. Binary labels only, and optional.
  std::optional<double> probability = {};
};

// An online learner to compare with: predicts a row and learns its label at
// once. For measurements only: the noise of private ones is in doubles.
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
