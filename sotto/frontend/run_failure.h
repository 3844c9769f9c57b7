#pragma once

#include <cstdint>

#include "sotto/base/result.h"

namespace sotto {

// Why a run ended before its time, and whose fault it is.
struct RunFailure {
  enum class Of : std::uint8_t { kInput, kModel, kOutput, kState };
  Of of = Of::kInput;
  Error error;
};

}  // namespace sotto
