#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/feature_view.h"

namespace sotto {

// A published halfspace: the label is 1 where <w, x> > 0. Features are clipped
// to [-1, 1]; those past the end of `weights` have weight 0.
//
//   const WinnowHypothesis& h = winnow.hypothesis();
//   bool label = h.Predict(x);
//   for (const Feature& f : h.Sparse()) Print(f.index, f.value);
//
// Threads: const calls may run at the same time.
class WinnowHypothesis {
 public:
  WinnowHypothesis() = default;
  // Without bias `weights` has one entry a feature, with it one more, the last.
  WinnowHypothesis(std::vector<float> weights, bool bias)
      : weights_(std::move(weights)), bias_(bias) {}

  // <w, x>, and |x|^2 on the way if it is asked for; the bias is in both.
  double Score(FeatureView x, double* norm_squared = nullptr) const;
  bool Predict(FeatureView x) const { return Score(x) > 0; }

  // The weights that are not 0; the bias, if any, has the index after the last
  // feature.
  FeatureVector Sparse() const;
  std::span<const float> weights() const { return weights_; }

 private:
  std::vector<float> weights_;
  bool bias_ = false;
};

// The weights of Winnow after the exponents a: proportional to e^a, or with
// signs to e^a - e^-a, normalised over all e^a (and e^-a). `others` further
// features have the exponent 0. Only the `keep` largest in magnitude stay,
// unscaled; 0 keeps all.
struct WinnowWeights {
  std::vector<float> weights;  // one for each exponent
  float other = 0;             // of each of the others
};
WinnowWeights ComputeWeights(std::span<const double> exponents,
                             std::size_t others, bool signs, std::size_t keep);

}  // namespace sotto
