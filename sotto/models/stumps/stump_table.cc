#include "sotto/models/stumps/stump_table.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "sotto/models/fits/radix_sort.h"

namespace sotto {
namespace {

// In the order of the numbers; zeros are one number.
std::uint32_t Ordered(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F);
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
}

float FromOrdered(std::uint64_t order) {
  const auto bits = static_cast<std::uint32_t>(order);
  return std::bit_cast<float>((bits >> 31) != 0 ? bits & 0x7fffffffU : ~bits);
}

// The least and the most rows that "1 from here on up" gets wrong, over all
// places between distinct numbers and both ends.
struct Extremes {
  std::int64_t least;
  std::int64_t most;
};

Extremes Scan(const std::vector<std::uint64_t>& sorted,
              std::int64_t positives) {
  const auto rows = static_cast<std::int64_t>(sorted.size());
  // All say 1: every negative is wrong.
  std::int64_t errors = rows - positives;
  Extremes extremes{errors, errors};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    errors += (sorted[i] & 1) != 0 ? 1 : -1;
    const bool inside_a_tie =
        i + 1 < sorted.size() && sorted[i] >> 32 == sorted[i + 1] >> 32;
    if (inside_a_tie) continue;
    extremes.least = std::min(extremes.least, errors);
    extremes.most = std::max(extremes.most, errors);
  }
  return extremes;
}

}  // namespace

void StumpTable::Add(FeatureView x, bool positive) {
  std::size_t next = 0;
  for (std::uint32_t j = 0; j < columns_.size(); ++j) {
    double value = 0;
    if (next < x.size() && x[next].index == j) value = x[next++].value;
    columns_[j].push_back(static_cast<float>(value));
  }
  labels_.push_back(positive ? 1 : 0);
  positives_ += positive ? 1 : 0;
}

void StumpTable::SortColumn(std::uint32_t feature,
                            std::vector<std::uint64_t>& words,
                            std::vector<std::uint64_t>& scratch) const {
  words.resize(rows());
  for (std::size_t i = 0; i < rows(); ++i) {
    words[i] = std::uint64_t{Ordered(columns_[feature][i])} << 32 | labels_[i];
  }
  RadixSort32(words, 32, scratch);
}

std::vector<std::int64_t> StumpTable::Scores() const {
  std::vector<std::int64_t> scores;
  std::vector<std::uint64_t> words;
  std::vector<std::uint64_t> scratch;
  for (std::uint32_t j = 0; j < columns_.size(); ++j) {
    SortColumn(j, words, scratch);
    const Extremes extremes = Scan(words, positives_);
    scores.push_back(-extremes.least);
    scores.push_back(extremes.most - static_cast<std::int64_t>(rows()));
  }
  return scores;
}

StumpCut StumpTable::BestCut(const StumpAxis& axis) const {
  constexpr float kAll = -std::numeric_limits<float>::infinity();
  constexpr float kNone = std::numeric_limits<float>::infinity();
  std::vector<std::uint64_t> words;
  std::vector<std::uint64_t> scratch;
  SortColumn(axis.feature, words, scratch);
  StumpCut best{axis, kAll};
  // Rows that are wrong if all are positive or, down, all negative.
  std::int64_t errors =
      axis.down ? positives_ : static_cast<std::int64_t>(rows()) - positives_;
  std::int64_t least = errors;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool positive = (words[i] & 1) != 0;
    errors += positive != axis.down ? 1 : -1;
    const bool last = i + 1 == words.size();
    if (!last && words[i] >> 32 == words[i + 1] >> 32) continue;
    if (errors >= least) continue;
    least = errors;
    best.from = last ? kNone : FromOrdered(words[i + 1] >> 32);
  }
  return best;
}

BoundarySet StumpTable::Window(const StumpAxis& axis, std::int64_t inside,
                               std::int64_t size) const {
  std::vector<double> values;
  values.reserve(rows());
  for (const float value : columns_[axis.feature]) {
    values.push_back(axis.down ? -value : value);
  }
  std::sort(values.begin(), values.end());
  const auto count = static_cast<std::int64_t>(rows());
  // From the top: rank r is at count - r.
  const std::int64_t first = std::max<std::int64_t>(1, inside - size + 1);
  const std::int64_t last = std::min(count, inside);
  std::vector<double> window;
  if (first <= last) {
    window.assign(values.begin() + (count - last),
                  values.begin() + (count - first + 1));
  }
  return BoundarySet::Of(size, std::move(window),
                         std::clamp<std::int64_t>(size - inside, 0, size));
}

std::vector<double> StumpTable::First(const StumpAxis& axis,
                                      std::int64_t count) const {
  const std::vector<float>& column = columns_[axis.feature];
  std::vector<double> values(column.begin(), column.end());
  const auto taken = static_cast<std::ptrdiff_t>(std::clamp<std::int64_t>(
      count, 0, static_cast<std::int64_t>(values.size())));
  std::nth_element(
      values.begin(), values.begin() + taken, values.end(),
      [&](double a, double b) { return axis.down ? a < b : b < a; });
  values.resize(static_cast<std::size_t>(taken));
  return values;
}

}  // namespace sotto
