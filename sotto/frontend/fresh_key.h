#pragma once

#include <cstdint>
#include <optional>

#include "sotto/base/result.h"
#include "sotto/random/key.h"

namespace sotto {

// The root key of a run: from the operating system, or, for experiments, from a
// seed, which makes it known to anyone.
Result<Key> FreshKey(const std::optional<std::uint64_t>& seed);

}  // namespace sotto
