#include "sotto/learners/classes/small_class.h"

#include <algorithm>
#include <bit>

namespace sotto {
namespace {

std::vector<std::size_t> Members(const FiniteClass::Set& set) {
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < set.size(); ++i) {
    for (std::uint64_t word = set[i]; word != 0; word &= word - 1) {
      members.push_back(64 * i +
                        static_cast<std::size_t>(std::countr_zero(word)));
    }
  }
  return members;
}

}  // namespace

SmallClass::SmallClass(const FiniteClass& functions,
                       const FiniteClass::Set& set,
                       std::span<const std::uint32_t> points) {
  const std::vector<std::size_t> members = Members(set);
  all_ = members.size() == 64 ? ~std::uint64_t{0}
                              : (std::uint64_t{1} << members.size()) - 1;
  for (const std::uint32_t x : points) {
    const FiniteClass::Set& ones = functions.Ones(x);
    std::uint64_t column = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      column |= (ones[members[i] / 64] >> (members[i] % 64) & 1) << i;
    }
    // A point and one with all labels inverted give the same split.
    if ((column & 1) != 0) column = all_ & ~column;
    if (column != 0) columns_.push_back(column);
  }
  std::sort(columns_.begin(), columns_.end());
  columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
}

bool SmallClass::HasTwoLevels(std::uint64_t set) const {
  return std::any_of(columns_.begin(), columns_.end(),
                     [set](std::uint64_t column) {
                       return std::popcount(set & column) >= 2 &&
                              std::popcount(set & ~column) >= 2;
                     });
}

Answer SmallClass::Decide(std::uint64_t set, int depth, NodeBudget& budget) {
  const int count = std::popcount(set);
  if (depth <= 1) return count >= depth + 1 ? Answer::kYes : Answer::kNo;
  if (depth > 6 || count < 1 << depth) return Answer::kNo;
  if (depth == 2) return HasTwoLevels(set) ? Answer::kYes : Answer::kNo;
  if (const auto place = known_.find(set); place != known_.end()) {
    if (depth <= place->second.low) return Answer::kYes;
    if (depth >= place->second.high) return Answer::kNo;
  }
  if (!budget.Spend()) return Answer::kUnknown;
  const Answer answer = Splits(set, depth, budget);
  if (answer == Answer::kUnknown) return answer;
  Known& known = known_[set];
  (answer == Answer::kYes ? known.low : known.high) =
      static_cast<std::int8_t>(depth);
  return answer;
}

Answer SmallClass::Splits(std::uint64_t set, int depth, NodeBudget& budget) {
  const int needed = 1 << (depth - 1);
  const int count = std::popcount(set);
  std::vector<std::pair<int, std::uint64_t>> order;
  for (const std::uint64_t column : columns_) {
    const int ones = std::popcount(set & column);
    const int smaller = std::min(ones, count - ones);
    if (smaller < needed) continue;
    order.emplace_back(count - smaller,
                       set & (ones == smaller ? column : ~column));
  }
  std::sort(order.begin(), order.end());
  order.erase(std::unique(order.begin(), order.end()), order.end());
  for (const auto& [larger, half] : order) {
    Answer answer = Decide(half, depth - 1, budget);
    if (answer == Answer::kYes) {
      answer = Decide(set & ~half, depth - 1, budget);
    }
    if (answer != Answer::kNo) return answer;
  }
  return Answer::kNo;
}

}  // namespace sotto
