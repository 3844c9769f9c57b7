#pragma once

#include <cstdint>

#include "sotto/base/result.h"

namespace sotto {

// How PrivateWinnow steps, and what can be proved of it on a stream that some
// v >= 0 with |v|_1 = 1 separates with a margin: y <v, x> >= margin always, and
// whose every round is closed before the next is opened: a label that comes
// late or never is outside of the proof.
//
//   auto step = ChooseWinnowStep({.sigma = 31, .stopper_epsilon = 1.6,
//                                 .margin = 0.5, .weights = 100,
//                                 .horizon = 300'000});
//   auto bound = BoundWinnow(setting, *step);
//
// Proof:   private_winnow.md, steps 8 to 11.
// Threads: pure functions.
struct WinnowSetting {
  double sigma = 0;            // noise of a coordinate of a batch
  double threshold = 0;        // of what is released; 0: everything
  double stopper_epsilon = 0;  // e_s
  double margin = 0;           // what is left of it after rounding
  double confidence = 0.3;     // c: examples with y <w, x> <= c margin are used
  double weights = 0;          // features, twice as many if signed
  bool signs = true;
  bool all_published = true;  // not only the largest weights
  std::uint64_t horizon = 0;  // T
  double failure = 0.05;      // beta
};

struct WinnowStep {
  std::int64_t batch = 0;    // the Stopper's limit, n
  double learning_rate = 0;  // eta
};

enum class WinnowAim {
  kPractical,  // few mistakes on streams as they come
  kProven,     // the least bound
};
WinnowStep ChooseWinnowStep(const WinnowSetting& setting, WinnowAim aim);

struct WinnowBound {
  // With probability 1 - failure no more batches are released, and no more
  // examples used; mistakes are among these. +infinity where nothing is proved,
  // as with a threshold or where only the largest weights are published.
  double batches = 0;
  double mistakes = 0;
  // The same in expectation, as long as no batch is far from its size, which
  // fails with probability `failure` at most.
  double mean_mistakes = 0;
};
WinnowBound BoundWinnow(const WinnowSetting& setting, const WinnowStep& step);

}  // namespace sotto
