#include "sotto/learners/classes/finite_class.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <string>

#include "sotto/learners/classes/named_class.h"

namespace sotto {
namespace {

Error At(std::size_t line, std::size_t column, const std::string& message) {
  return InvalidArgument("line " + std::to_string(line) + ", column " +
                         std::to_string(column) + ": " + message);
}

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// The labels of one line. `width` is the required number; 0: any number.
Result<std::string> ReadRow(std::string_view text, std::size_t line,
                            std::size_t width) {
  std::string row;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (IsSpace(text[i])) continue;
    if (text[i] != '0' && text[i] != '1') {
      return At(line, i + 1, "expected 0 or 1");
    }
    if (width > 0 && row.size() == width) {
      return At(line, i + 1,
                "expected the end of the line after " + std::to_string(width) +
                    " labels");
    }
    row += text[i];
  }
  if (row.size() < width) {
    return At(line, text.size() + 1,
              "expected " + std::to_string(width) + " labels, found " +
                  std::to_string(row.size()));
  }
  return row;
}

// Empty, or begins with '#'.
bool SaysNothing(std::string_view line) {
  const auto first = std::find_if_not(line.begin(), line.end(), IsSpace);
  return first == line.end() || *first == '#';
}

}  // namespace

Result<FiniteClass> FiniteClass::Create(std::uint64_t size,
                                        std::uint64_t points,
                                        const Rule& rule) {
  if (size == 0 || points == 0) {
    return InvalidArgument("a class needs a function and a point");
  }
  if (points > kMaxBits / size) {
    return InvalidArgument("the class has more than 2^30 bits");
  }
  std::vector<Set> columns(points, Set((size + 63) / 64));
  for (std::size_t x = 0; x < points; ++x) {
    for (std::size_t h = 0; h < size; ++h) {
      if (rule(h, x)) columns[x][h / 64] |= std::uint64_t{1} << (h % 64);
    }
  }
  return FiniteClass(size, std::move(columns));
}

Result<FiniteClass> FiniteClass::Named(std::string_view name,
                                       std::uint64_t points) {
  SOTTO_TRY_ASSIGN(const auto named, NamedClass::Parse(std::string(name) + ":" +
                                                       std::to_string(points)));
  return named.Matrix();
}

Result<FiniteClass> FiniteClass::Parse(std::string_view text) {
  std::vector<std::string> rows;
  std::set<std::string> seen;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), whole.size() + 1));
    if (SaysNothing(whole)) continue;
    SOTTO_TRY_ASSIGN(auto row,
                     ReadRow(whole, line, rows.empty() ? 0 : rows[0].size()));
    if (seen.insert(row).second) rows.push_back(std::move(row));
  }
  return Create(
      rows.size(), rows.empty() ? 0 : rows[0].size(),
      [&](std::uint64_t h, std::uint64_t x) { return rows[h][x] == '1'; });
}

FiniteClass::Set FiniteClass::All() const {
  Set all((size_ + 63) / 64, ~std::uint64_t{0});
  if (size_ % 64 != 0) all.back() >>= 64 - size_ % 64;
  return all;
}

std::optional<std::size_t> FiniteClass::FindPoint(FeatureView x) const {
  const double value = ValueAt(x, 0);
  if (!(value >= 0 && value < static_cast<double>(points()))) {
    return std::nullopt;
  }
  if (std::floor(value) != value) return std::nullopt;
  return static_cast<std::size_t>(value);
}

std::size_t CountMembers(std::span<const std::uint64_t> set) {
  std::size_t count = 0;
  for (const std::uint64_t word : set) {
    count += static_cast<std::size_t>(std::popcount(word));
  }
  return count;
}

std::size_t FindFirst(std::span<const std::uint64_t> set) {
  std::size_t word = 0;
  while (set[word] == 0) ++word;
  return 64 * word + static_cast<std::size_t>(std::countr_zero(set[word]));
}

FiniteClass::Set Restrict(const FiniteClass& functions,
                          const FiniteClass::Set& set, std::size_t point,
                          bool label) {
  const FiniteClass::Set& ones = functions.Ones(point);
  FiniteClass::Set kept(set.size());
  for (std::size_t i = 0; i < set.size(); ++i) {
    kept[i] = set[i] & (label ? ones[i] : ~ones[i]);
  }
  return kept;
}

}  // namespace sotto
