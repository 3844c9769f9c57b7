#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "sotto/audit/games/view.h"

namespace sotto {

// A small classifier of transcripts, in the manner of DP-Sniper: logistic
// regression on the answers, their differences and a few sums. A high score is
// an event. The audit needs no proof about the classifier.
//
//   Classifier classifier = Classifier::Train(zero, one);
//   double score = classifier.Score(view);   // high: world one
//
// Bit-reproducible: the same views give the same weights.
// Threads: const calls may run at the same time.
class Classifier {
 public:
  static constexpr std::size_t kRounds = 32;  // that are looked at
  static constexpr std::size_t kFeatures = 2 * kRounds + 4;
  using Features = std::array<double, kFeatures>;

  // Requires equally many views of both worlds.
  static Classifier Train(std::span<const View> zero,
                          std::span<const View> one);

  double Score(const View& view) const;

  // The numbers that a score depends on.
  std::vector<double> Numbers() const;

 private:
  static Features Raw(const View& view);
  void Standardize(std::span<const View> zero, std::span<const View> one);
  Features Scaled(const View& view) const;

  Features mean_ = {};
  Features inverse_deviation_ = {};
  Features weights_ = {};
  double bias_ = 0;
};

}  // namespace sotto
