#include "sotto/service/name_hash.h"

#include <cstdint>

namespace sotto {

Key MakeNameKey(const Key& names) {
  return names.Derive("service-v1", "names", {});
}

Key MakeRepeatKey(const Key& names) {
  return names.Derive("service-v1", "repeats", {});
}

std::string HashName(const Key& name_key, std::string_view user) {
  std::string bytes;
  for (const std::uint64_t half : name_key.Hash(user)) {
    for (int shift = 56; shift >= 0; shift -= 8) {
      bytes += static_cast<char>(half >> shift & 0xff);
    }
  }
  return bytes;
}

}  // namespace sotto
