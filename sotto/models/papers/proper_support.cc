#include "sotto/models/papers/proper_support.h"

#include <algorithm>
#include <cstdint>

#include "sotto/base/int128.h"

namespace sotto {
namespace {

constexpr int kMostDoublings = 100;  // sums stay below 2^127

// The function that is wrong on the least weight, and that weight.
std::size_t Best(const FiniteClass& functions, const std::vector<bool>& labels,
                 const std::vector<int>& doubled, bool& is_equal) {
  std::vector<Uint128> wrong(functions.size(), 0);
  for (std::size_t x = 0; x < labels.size(); ++x) {
    const Uint128 weight = Uint128{1} << std::min(doubled[x], kMostDoublings);
    for (std::size_t h = 0; h < wrong.size(); ++h) {
      if (functions.Label(h, x) != labels[x]) wrong[h] += weight;
    }
  }
  const auto least = std::ranges::min_element(wrong);
  is_equal = *least == 0;
  return static_cast<std::size_t>(least - wrong.begin());
}

}  // namespace

Status CheckProperSize(const FiniteClass& functions) {
  if (functions.size() <= (std::size_t{1} << 24) / functions.points()) {
    return Ok();
  }
  return InvalidArgument(
      "a function of the class is looked for in classes of at most 2^24 "
      "labels, functions times points");
}

std::vector<std::size_t> ProperSupport(const FiniteClass& functions,
                                       const std::vector<bool>& labels) {
  std::vector<int> doubled(labels.size(), 0);
  std::vector<std::size_t> support;
  for (std::size_t round = 0; round < kProperRounds; ++round) {
    bool is_equal = false;
    const std::size_t best = Best(functions, labels, doubled, is_equal);
    if (is_equal) return {best};  // in the first round, or never
    support.push_back(best);
    for (std::size_t x = 0; x < labels.size(); ++x) {
      doubled[x] += functions.Label(best, x) != labels[x] ? 1 : 0;
    }
  }
  std::ranges::sort(support);
  support.erase(std::unique(support.begin(), support.end()), support.end());
  return support;
}

}  // namespace sotto
