#pragma once

#include <cstdint>
#include <string_view>

namespace sotto {

// What a plan says of a model at the sizes it was asked about.
enum class Verdict : std::uint8_t { kComfortable, kTight, kHopeless };

constexpr std::string_view ToString(Verdict verdict) {
  switch (verdict) {
    case Verdict::kComfortable:
      return "comfortable";
    case Verdict::kTight:
      return "tight";
    case Verdict::kHopeless:
      break;
  }
  return "hopeless";
}

}  // namespace sotto
