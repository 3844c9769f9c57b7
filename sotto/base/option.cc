#include "sotto/base/option.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <numeric>

namespace sotto {
namespace {

// How many letters must be put in, left out or changed to turn a into b.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = corner + (a[i] == b[j] ? 0 : 1);
      corner = row[j + 1];
      row[j + 1] = std::min({change, corner + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

const Option* FindOption(std::span<const Option> table, std::string_view name) {
  const auto place = std::ranges::find_if(table, [name](const Option& option) {
    return option.name == name || (!name.empty() && option.alias == name);
  });
  return place == table.end() ? nullptr : &*place;
}

std::string_view NearestOption(std::span<const Option> table,
                               std::string_view word) {
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const Option& option : table) {
    const std::size_t distance = Distance(word, option.name);
    if (distance >= least) continue;
    least = distance;
    nearest = option.name;
  }
  return nearest;
}

OptionTable ConcatOptions(
    std::initializer_list<std::span<const Option>> tables) {
  OptionTable all;
  for (const auto& table : tables) {
    for (const Option& option : table) {
      assert(FindOption(all, option.name) == nullptr);
      all.push_back(option);
    }
  }
  return all;
}

}  // namespace sotto
