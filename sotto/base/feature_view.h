#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace sotto {

// One coordinate of a user's features.
struct Feature {
  std::uint32_t index = 0;
  double value = 0;
  friend bool operator==(const Feature&, const Feature&) = default;
};

// A user's features x: what is not listed is 0. Sorted by index, no index
// twice, all values finite. A single number is the value of feature 0.
using FeatureVector = std::vector<Feature>;
using FeatureView = std::span<const Feature>;

// The value of one coordinate.
inline double ValueAt(FeatureView x, std::uint32_t index) {
  // Most callers ask for feature 0 or have dense features.
  if (index < x.size() && x[index].index == index) return x[index].value;
  const auto place = std::lower_bound(
      x.begin(), x.end(), index, [](const Feature& feature, std::uint32_t i) {
        return feature.index < i;
      });
  return place != x.end() && place->index == index ? place->value : 0.0;
}

}  // namespace sotto
