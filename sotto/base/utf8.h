#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sotto {

// A character of a text, and the bytes it takes.
struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  // 0: these are not UTF-8
};

// The first one of a text that is not empty.
CodePoint FirstCodePoint(std::string_view text);

// Returns true if a JSON document can hold the text as it is.
bool IsUtf8(std::string_view text);

}  // namespace sotto
