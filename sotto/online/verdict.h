#pragma once

#include <cstdint>
#include <string_view>

namespace sotto {

// A plan's verdict on a model at the sizes it was asked about.
enum class Verdict : std::uint8_t { kComfortable, kTight, kHopeless };

// The verdict on a cost: comfortable up to the first limit, tight up to the
// second, hopeless above.
constexpr Verdict VerdictBelow(double cost, double comfortable, double tight) {
  if (cost <= comfortable) return Verdict::kComfortable;
  return cost <= tight ? Verdict::kTight : Verdict::kHopeless;
}
// The same for a supply: comfortable from the first limit on, tight from the
// second on, hopeless below.
constexpr Verdict VerdictAbove(double supply, double comfortable,
                               double tight) {
  return VerdictBelow(-supply, -comfortable, -tight);
}

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
