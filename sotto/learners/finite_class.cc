#include "sotto/learners/finite_class.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <string>
#include <utility>

namespace sotto {

template <typename Rule>
Result<FiniteClass> FiniteClass::Build(std::uint64_t size, std::uint64_t points,
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
  // So that no size below overflows.
  if (points > kMaxBits) {
    return InvalidArgument("the class has more than 2^30 bits");
  }
  if (name == "points") {
    return Build(points, points,
                 [](std::size_t h, std::size_t x) { return h == x; });
  }
  if (name == "thresholds") {
    return Build(points + 1, points,
                 [](std::size_t h, std::size_t x) { return x >= h; });
  }
  if (name == "intervals") {
    std::vector<std::pair<std::size_t, std::size_t>> ends{{1, 0}};
    const std::uint64_t size = points * (points + 1) / 2 + 1;
    if (size > kMaxBits / std::max<std::uint64_t>(points, 1)) {
      return InvalidArgument("the class has more than 2^30 bits");
    }
    ends.reserve(size);
    for (std::size_t a = 0; a < points; ++a) {
      for (std::size_t b = a; b < points; ++b) ends.emplace_back(a, b);
    }
    return Build(size, points, [&](std::size_t h, std::size_t x) {
      return ends[h].first <= x && x <= ends[h].second;
    });
  }
  return InvalidArgument("no class is called '" + std::string(name) +
                         "'; there are points, thresholds and intervals");
}

Result<FiniteClass> FiniteClass::Parse(std::string_view text) {
  std::vector<std::string> rows;
  std::set<std::string> seen;
  for (std::size_t line = 1; !text.empty(); ++line) {
    std::string row(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.size(), row.size() + 1));
    std::erase_if(row,
                  [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
    if (row.empty() || row[0] == '#') continue;
    if (row.find_first_not_of("01") != std::string::npos) {
      return InvalidArgument("line " + std::to_string(line) +
                             ": expected only 0 and 1");
    }
    if (!rows.empty() && row.size() != rows[0].size()) {
      return InvalidArgument("line " + std::to_string(line) + ": expected " +
                             std::to_string(rows[0].size()) +
                             " labels, found " + std::to_string(row.size()));
    }
    if (seen.insert(row).second) rows.push_back(std::move(row));
  }
  return Build(rows.size(), rows.empty() ? 0 : rows[0].size(),
               [&](std::size_t h, std::size_t x) { return rows[h][x] == '1'; });
}

FiniteClass::Set FiniteClass::All() const {
  Set all((size_ + 63) / 64, ~std::uint64_t{0});
  if (size_ % 64 != 0) all.back() >>= 64 - size_ % 64;
  return all;
}

std::optional<std::size_t> FiniteClass::PointOf(FeatureView x) const {
  const double value = ValueAt(x, 0);
  if (!(value >= 0 && value < static_cast<double>(points()))) {
    return std::nullopt;
  }
  if (std::floor(value) != value) return std::nullopt;
  return static_cast<std::size_t>(value);
}

std::size_t CountOf(std::span<const std::uint64_t> set) {
  std::size_t count = 0;
  for (const std::uint64_t word : set) {
    count += static_cast<std::size_t>(std::popcount(word));
  }
  return count;
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
