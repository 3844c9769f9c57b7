#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sotto {

// Sorts words by the 32 bits from `shift` on, stable, in work that depends on
// their number alone (which lines of memory are touched, and in which order,
// does depend on them). `scratch` is reused.
inline void RadixSort32(std::vector<std::uint64_t>& words, int shift,
                        std::vector<std::uint64_t>& scratch) {
  constexpr int kDigits = 11;
  constexpr std::size_t kBuckets = std::size_t{1} << kDigits;
  constexpr std::uint64_t kMask = 0xffffffff;
  scratch.resize(words.size());
  for (int low = 0; low < 32; low += kDigits) {
    const auto digit = [&](std::uint64_t word) {
      return static_cast<std::size_t>(((word >> shift) & kMask) >> low) &
             (kBuckets - 1);
    };
    std::array<std::size_t, kBuckets> next{};
    for (const std::uint64_t word : words) ++next[digit(word)];
    std::size_t sum = 0;
    for (std::size_t& place : next) {
      const std::size_t count = place;
      place = sum;
      sum += count;
    }
    for (const std::uint64_t word : words) scratch[next[digit(word)]++] = word;
    words.swap(scratch);
  }
}

}  // namespace sotto
