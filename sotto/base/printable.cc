#include "sotto/base/printable.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sotto {
namespace {

struct Point {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  // 0: these are not UTF-8
};

std::size_t SequenceLength(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

// The first code point of a text that is not empty.
Point First(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = SequenceLength(lead);
  if (length == 0 || length > text.size()) return {};
  std::uint32_t value = length == 1 ? lead : lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    value = value << 6 | (next & 0x3FU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kLeast[length] || value > 0x10ffff || surrogate) return {};
  return {value, length};
}

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
    const Point point = First(text);
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
