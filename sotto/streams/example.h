#pragma once

#include <optional>
#include <string>

#include "sotto/base/features.h"

namespace sotto {

// What one user brings to one round.
struct Example {
  FeatureVector x;
  std::optional<bool> y;  // absent: this label never came
  std::string user;       // empty: a user who takes part in this round only
  friend bool operator==(const Example&, const Example&) = default;
};

}  // namespace sotto
