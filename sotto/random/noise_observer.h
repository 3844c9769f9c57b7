#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sotto/base/rational.h"
#include "sotto/random/rng.h"

namespace sotto {

class FixedWorkGaussian;
class LossWeights;
namespace internal {
class GeometricDigits;
}

// Test hook: sees which samplers draw from a stream, and how often
// (sotto/testing/drawn_noise.h). A stream that is one implements it beside Rng.
class NoiseObserver {
 public:
  virtual ~NoiseObserver() = default;
  // Laplace and geometric noise.
  virtual void OnDraw(const internal::GeometricDigits& digits,
                      std::size_t draws) = 0;
  virtual void OnDraw(const FixedWorkGaussian& gaussian, std::size_t draws) = 0;
  // Draws of one candidate of several, with weights e^(rate * score) or by
  // their loss.
  virtual void OnSelection(const Rational& rate, std::size_t candidates) = 0;
  virtual void OnSelection(const LossWeights& weights,
                           std::size_t candidates) = 0;
  // Private rows by which a draw with these weights weighs its candidates; each
  // row moves a loss by at most `units`.
  virtual void OnRows(std::vector<std::string> rows, const LossWeights& weights,
                      std::uint64_t units) = 0;
};

// The observer of a stream; null unless it is watched and has one.
inline NoiseObserver* FindObserver(Rng& rng) {
  return rng.watched() ? dynamic_cast<NoiseObserver*>(&rng) : nullptr;
}

// Called by samplers before they draw.
template <typename Sampler>
void ReportDraws(Rng& rng, const Sampler& sampler, std::size_t draws) {
  if (NoiseObserver* observer = FindObserver(rng)) {
    observer->OnDraw(sampler, draws);
  }
}
template <typename Weights>
void ReportSelection(Rng& rng, const Weights& weights, std::size_t candidates) {
  if (NoiseObserver* observer = FindObserver(rng)) {
    observer->OnSelection(weights, candidates);
  }
}

}  // namespace sotto
