#include "bench/baselines/simple_players.h"

#include <algorithm>
#include <cstddef>

namespace sotto::bench {

Label Constant::FindBest(const TableStream& stream) {
  std::vector<std::uint64_t> counts(stream.label().classes());
  for (const Label& y : stream.labels) ++counts[y.index()];
  const auto place = std::ranges::max_element(counts) - counts.begin();
  return Label::OfClass(static_cast<std::uint32_t>(place));
}

Prediction RunningMean::Tell(FeatureView) {
  return {Label::OfNumber(rows_ > 0 ? sum_ / rows_ : 0)};
}

void RunningMean::Learn(FeatureView, const Label& y) {
  sum_ += y.number();
  rows_ += 1;
}

RunningMedian::RunningMedian(const LabelType& type)
    : low_(type.low), width_((type.high - type.low) / kCells) {}

Prediction RunningMedian::Tell(FeatureView) {
  std::uint64_t below = 0;
  std::size_t cell = 0;
  while (cell < kCells && 2 * (below + counts_[cell]) < rows_) {
    below += counts_[cell++];
  }
  return {Label::OfNumber(low_ + width_ * static_cast<double>(cell))};
}

void RunningMedian::Learn(FeatureView, const Label& y) {
  const double place = (y.number() - low_) / width_;
  ++counts_[static_cast<std::size_t>(
      std::clamp(place + 0.5, 0.0, static_cast<double>(kCells)))];
  ++rows_;
}

}  // namespace sotto::bench
