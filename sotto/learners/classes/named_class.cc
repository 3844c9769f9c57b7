#include "sotto/learners/classes/named_class.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace sotto {
namespace {

// 4096, or 1e6.
std::optional<std::uint64_t> ParseSide(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  const bool whole = read.ec == std::errc() && read.ptr == end && number >= 1 &&
                     number <= 0x1p53 && std::floor(number) == number;
  if (!whole) return std::nullopt;
  return static_cast<std::uint64_t>(number);
}

std::optional<std::vector<std::uint64_t>> ParseSides(std::string_view text) {
  std::vector<std::uint64_t> sides;
  while (true) {
    const std::size_t cross = text.find('x');
    const auto side = ParseSide(text.substr(0, cross));
    if (!side) return std::nullopt;
    sides.push_back(*side);
    if (cross == std::string_view::npos) return sides;
    text.remove_prefix(cross + 1);
  }
}

const NamedKind* FindKind(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  for (const NamedKind& kind : NamedKinds()) {
    if (kind.name == name && name.size() < text.size()) return &kind;
  }
  return nullptr;
}

}  // namespace

Result<NamedClass> NamedClass::Parse(std::string_view text) {
  const NamedKind* kind = FindKind(text);
  if (kind == nullptr) {
    return InvalidArgument("no class is called '" +
                           std::string(text.substr(0, text.find(':'))) +
                           "'; there are " + KindsInWords());
  }
  const auto sides = ParseSides(text.substr(kind->name.size() + 1));
  if (!sides || (sides->size() > 1 && !kind->grid)) {
    return InvalidArgument("expected " + std::string(kind->name) + ":" +
                           std::string(kind->sides) + ", got '" +
                           std::string(text) + "'");
  }
  auto made = kind->make(*sides);
  if (made) made->name = text;
  return made;
}

Result<FiniteClass> NamedClass::Matrix() const {
  return FiniteClass::Create(size, points, rule);
}

bool NamesClass(std::string_view text) { return FindKind(text) != nullptr; }

std::string KindsInWords() {
  std::string words;
  for (const NamedKind& kind : NamedKinds()) {
    if (!words.empty()) words += ", ";
    words += std::string(kind.name) + ":" + std::string(kind.sides);
  }
  return words;
}

}  // namespace sotto
