#pragma once

#include <cstdint>
#include <string>

#include "sotto/base/json.h"
#include "sotto/base/result.h"

namespace sotto {

// The version of all model files, in their member "version".
inline constexpr std::uint64_t kModelFileVersion = 1;

// A file without a version is of the first. Fails with kInvalidArgument for
// every other.
inline Status CheckModelFileVersion(const Json& model) {
  const Json* version = model.Find("version");
  if (version == nullptr || version->natural() == kModelFileVersion) {
    return Ok();
  }
  return InvalidArgument("version " + version->Dump() +
                         ", this program reads version " +
                         std::to_string(kModelFileVersion));
}

}  // namespace sotto
