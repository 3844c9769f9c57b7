#include "sotto/learners/best_stump_learner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace sotto {

// A stump, and by what it is compared with others.
struct BestStumpLearner::Cut {
  std::size_t errors = std::numeric_limits<std::size_t>::max();
  double width = -1;
  std::uint32_t axis = 0;
  bool above = true;
  double threshold = 0;

  bool BetterThan(const Cut& other) const {
    if (errors != other.errors) return errors < other.errors;
    return width > other.width;
  }
};

BestStumpLearner::BestStumpLearner(std::uint32_t features, Range range)
    : features_(features),
      range_(range),
      threshold_(std::midpoint(range.low, range.high)) {}

void BestStumpLearner::Update(FeatureView x, bool y) {
  auto next = x.begin();
  for (std::uint32_t axis = 0; axis < features_; ++axis) {
    double value = 0;
    if (next != x.end() && next->index == axis) value = (next++)->value;
    values_.push_back(std::clamp(value, range_.low, range_.high));
  }
  labels_.push_back(y ? 1 : 0);
  if (rows() > fitted_ + fitted_ / 8) Fit(rows());
}

// Cuts lie between neighbours that differ, and beyond both ends of the data.
void BestStumpLearner::ScanAxis(std::uint32_t axis, std::size_t rows,
                                Cut& best) const {
  std::vector<std::pair<double, bool>> sorted;
  std::size_t ones = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    sorted.emplace_back(values_[i * features_ + axis], labels_[i] != 0);
    ones += labels_[i] != 0 ? 1 : 0;
  }
  std::sort(sorted.begin(), sorted.end());
  std::size_t ones_below = 0;
  for (std::size_t i = 0; i <= rows; ++i) {
    const double from = i == 0 ? range_.low : sorted[i - 1].first;
    const double to = i == rows ? range_.high : sorted[i].first;
    if (i > 0 && sorted[i - 1].second) ++ones_below;
    if (i > 0 && i < rows && !(from < to)) continue;
    const double middle = std::midpoint(from, to);
    Cut cut{.width = to - from, .axis = axis, .threshold = to};
    if (middle > from) cut.threshold = middle;
    // Above all values, also where the last one is the end of the range.
    if (i == rows && !(from < to)) {
      cut.threshold =
          std::nextafter(to, std::numeric_limits<double>::infinity());
    }
    const std::size_t zeros_above = (rows - i) - (ones - ones_below);
    cut.errors = ones_below + zeros_above;
    if (cut.BetterThan(best)) best = cut;
    cut.above = false;
    cut.errors = rows - cut.errors;
    if (cut.BetterThan(best)) best = cut;
  }
}

void BestStumpLearner::Fit(std::size_t rows) {
  Cut best;
  for (std::uint32_t axis = 0; axis < features_; ++axis) {
    ScanAxis(axis, rows, best);
  }
  axis_ = best.axis;
  threshold_ = best.threshold;
  positive_above_ = best.above;
  fitted_ = rows;
}

void BestStumpLearner::Save(ByteWriter& out) const {
  out.Number(static_cast<std::uint64_t>(rows()));
  out.Number(static_cast<std::uint64_t>(fitted_));
  for (const double value : values_) out.Real(value);
  for (const char label : labels_) out.Number(static_cast<std::uint8_t>(label));
}

Status BestStumpLearner::Load(ByteReader& in) {
  const auto rows = in.Number<std::uint64_t>();
  const auto fitted = in.Number<std::uint64_t>();
  const std::uint64_t bytes = 8 * std::uint64_t{features_} + 1;
  bool good = !in.failed() && fitted <= rows && rows <= in.RoomFor(bytes);
  values_.clear();
  labels_.clear();
  for (std::uint64_t i = 0; good && i < rows * features_; ++i) {
    values_.push_back(in.Real());
    good = values_.back() >= range_.low && values_.back() <= range_.high;
  }
  for (std::uint64_t i = 0; good && i < rows; ++i) {
    const auto label = in.Number<std::uint8_t>();
    good = label <= 1;
    labels_.push_back(static_cast<char>(label));
  }
  if (!good || in.failed()) {
    return Error{ErrorCode::kCorruption, "not the state of a best stump"};
  }
  if (fitted > 0) Fit(fitted);
  return Ok();
}

}  // namespace sotto
