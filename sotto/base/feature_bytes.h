#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"

namespace sotto {

// Bytes of a feature in records and states: index, then value.
inline constexpr std::size_t kFeatureBytes =
    sizeof(std::uint32_t) + sizeof(double);

// The bytes of Number(index) and Real(value), at once: a service writes and
// reads millions of them.
inline void WriteFeature(const Feature& feature, ByteWriter& writer) {
  if constexpr (std::endian::native == std::endian::little) {
    std::array<char, kFeatureBytes> bytes;
    std::memcpy(bytes.data(), &feature.index, sizeof(std::uint32_t));
    std::memcpy(bytes.data() + sizeof(std::uint32_t), &feature.value,
                sizeof(double));
    writer.Raw({bytes.data(), bytes.size()});
  } else {
    writer.Number(feature.index);
    writer.Real(feature.value);
  }
}

// The bytes of Real(value).
inline void WriteValue(double value, ByteWriter& writer) {
  if constexpr (std::endian::native == std::endian::little) {
    const auto bytes = std::bit_cast<std::array<char, sizeof(double)>>(value);
    writer.Raw({bytes.data(), bytes.size()});
  } else {
    writer.Real(value);
  }
}

inline double ReadValue(ByteReader& reader) {
  double value = 0;
  if constexpr (std::endian::native == std::endian::little) {
    const std::string_view bytes = reader.Raw(sizeof(double));
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof(double));
  } else {
    value = reader.Real();
  }
  return value;
}

// Zeros, and the reader has failed, if there are not enough bytes.
inline Feature ReadFeature(ByteReader& reader) {
  Feature feature{};
  if constexpr (std::endian::native == std::endian::little) {
    const std::string_view bytes = reader.Raw(kFeatureBytes);
    if (bytes.empty()) return feature;
    std::memcpy(&feature.index, bytes.data(), sizeof(std::uint32_t));
    std::memcpy(&feature.value, bytes.data() + sizeof(std::uint32_t),
                sizeof(double));
  } else {
    feature.index = reader.Number<std::uint32_t>();
    feature.value = reader.Real();
  }
  return feature;
}

}  // namespace sotto
