#include "sotto/base/printable.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sotto/base/utf8.h"

namespace sotto {
namespace {

bool IsShown(std::uint32_t point) {
  if (point == '\n') return true;
  if (point < 0x20 || (point >= 0x7f && point < 0xa0)) return false;
  const bool line_end = point == 0x2028 || point == 0x2029;
  const bool turns_direction = point == 0x61c || point == 0x200e ||
                               point == 0x200f ||
                               (point >= 0x202a && point <= 0x202e) ||
                               (point >= 0x2066 && point <= 0x2069);
  return !line_end && !turns_direction;
}

// The text with `hide` of each code point that is not shown, and '?' for bytes
// that are not UTF-8.
template <typename Hide>
std::string Replaced(std::string_view text, Hide hide) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = FirstCodePoint(text);
    if (point.bytes == 0) {
      shown += '?';
    } else if (!IsShown(point.value)) {
      shown += hide(point.value);
    } else {
      shown += text.substr(0, point.bytes);
    }
    text.remove_prefix(point.bytes == 0 ? 1 : point.bytes);
  }
  return shown;
}

// All code points that are not shown are below 0x10000.
std::string Escape(std::uint32_t point) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) {
    text += kDigits[(point >> shift) % 16];
  }
  return text;
}

}  // namespace

std::string Printable(std::string_view text) {
  return Replaced(text, [](std::uint32_t) { return "?"; });
}

std::string PrintableLine(std::string_view text) {
  std::string line = Printable(text);
  std::ranges::replace(line, '\n', '?');
  return line;
}

std::string PrintableJson(std::string_view json) {
  return Replaced(json, Escape);
}

std::string Quoted(std::string_view text) {
  std::string shown = "'";
  for (const char c : text.substr(0, 40)) {
    shown += c >= ' ' && c <= '~' ? c : '?';
  }
  return shown + (text.size() > 40 ? "...'" : "'");
}

}  // namespace sotto
