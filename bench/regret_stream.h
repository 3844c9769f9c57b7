#pragma once

#include <cstdint>
#include <vector>

#include "sotto/base/feature_view.h"
#include "sotto/random/rng.h"

namespace sotto {

// A stream for the regret benchmark: labelled examples with values -1 and 1.
//
//   RegretStream stream({.features = 100, .relevant = 5, .lead = 3});
//   RegretExample e = stream.Next(rng);
//
// The label is the sign of the sum of the relevant features, which is at least
// `lead` in magnitude: margin lead / relevant. `present` features are non-zero:
// the relevant ones and others at random; 0 means all.
struct RegretExample {
  FeatureVector x;
  bool y = false;
};

struct RegretStreamParams {
  std::uint32_t features = 100;
  std::uint32_t relevant = 5;
  int lead = 3;
  std::uint32_t present = 0;
};

class RegretStream {
 public:
  explicit RegretStream(const RegretStreamParams& params) : params_(params) {}

  RegretExample Next(Rng& rng) const {
    RegretExample e;
    int sum = 0;
    do {
      e.x.clear();
      sum = 0;
      for (std::uint32_t j = 0; j < params_.relevant; ++j) {
        const int value = (rng.Next() & 1) != 0 ? 1 : -1;
        sum += value;
        e.x.push_back({j, static_cast<double>(value)});
      }
    } while (sum < params_.lead && sum > -params_.lead);
    e.y = sum > 0;
    AddOthers(e.x, rng);
    return e;
  }

 private:
  // Adds one feature in each of as many equal segments as there are others, so
  // that they are sorted.
  void AddOthers(FeatureVector& x, Rng& rng) const {
    const std::uint32_t rest = params_.features - params_.relevant;
    const std::uint32_t others =
        params_.present == 0 ? rest : params_.present - params_.relevant;
    if (others == 0) return;
    const std::uint32_t segment = rest / others;
    std::uint64_t bits = 0;
    for (std::uint32_t i = 0; i < others; ++i) {
      if (i % 64 == 0) bits = rng.Next();
      const double value = ((bits >> (i % 64)) & 1) != 0 ? 1 : -1;
      const auto place =
          segment == 1 ? 0 : static_cast<std::uint32_t>(rng.Next() % segment);
      x.push_back({params_.relevant + i * segment + place, value});
    }
  }

  RegretStreamParams params_;
};

}  // namespace sotto
