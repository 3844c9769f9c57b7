#pragma once

#include <cstdint>
#include <optional>

#include "sotto/base/json.h"
#include "sotto/base/result.h"

namespace sotto {

// Data of a user for a learner of points: a point, and a label that arrives
// after some rounds or never; or an absent user.
//
// Threads: a value type.
struct PointInput {
  std::int32_t point = 0;
  std::optional<bool> label = {};
  std::uint32_t delay = 0;  // rounds until the label arrives; 0: at once
  bool absent = false;
  friend bool operator==(const PointInput&, const PointInput&) = default;
};

// {"point":1,"y":1,"delay":0}; without "y" there is no label; {"absent":true}.
Status ReadInput(const Json& json, PointInput& input);

}  // namespace sotto
