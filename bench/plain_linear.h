#pragma once

#include <cmath>
#include <vector>

#include "bench/regret_stream.h"
#include "sotto/random/rng.h"

namespace sotto::bench {

// Online learners of halfspaces without privacy. A call predicts, and then
// learns from a mistake.
//
// Threads: not thread-safe.
struct PlainWinnow {
  std::vector<double> exponents;
  double rate;
  bool operator()(const RegretExample& e, Rng&) {
    double score = 0;
    for (const Feature& f : e.x) {
      score += std::exp(exponents[f.index]) * f.value;
    }
    const bool prediction = score > 0;
    if (prediction != e.y) {
      for (const Feature& f : e.x) {
        exponents[f.index] += e.y ? rate * f.value : -rate * f.value;
      }
    }
    return prediction;
  }
};

struct PlainPerceptron {
  std::vector<double> weights;
  bool operator()(const RegretExample& e, Rng&) {
    double score = 0;
    for (const Feature& f : e.x) score += weights[f.index] * f.value;
    const bool prediction = score > 0;
    if (prediction != e.y) {
      for (const Feature& f : e.x) {
        weights[f.index] += e.y ? f.value : -f.value;
      }
    }
    return prediction;
  }
};

}  // namespace sotto::bench
