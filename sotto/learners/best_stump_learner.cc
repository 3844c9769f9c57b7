#include "sotto/learners/best_stump_learner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace sotto {

// A stump, with its rank among others.
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
    : kept_(features, range),
      threshold_(std::midpoint(range.low, range.high)) {}

// Cuts lie between neighbours that differ, and beyond both ends of the data.
void BestStumpLearner::ScanAxis(std::uint32_t axis, Cut& best) const {
  const std::size_t rows = kept_.fitted();
  std::vector<std::pair<double, bool>> sorted;
  std::size_t ones = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    sorted.emplace_back(kept_.At(i, axis), kept_.GetLabel(i));
    ones += kept_.GetLabel(i) ? 1 : 0;
  }
  std::sort(sorted.begin(), sorted.end());
  std::size_t ones_below = 0;
  for (std::size_t i = 0; i <= rows; ++i) {
    const double from = i == 0 ? kept_.range().low : sorted[i - 1].first;
    const double to = i == rows ? kept_.range().high : sorted[i].first;
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

void BestStumpLearner::Fit() {
  Cut best;
  for (std::uint32_t axis = 0; axis < kept_.features(); ++axis) {
    ScanAxis(axis, best);
  }
  axis_ = best.axis;
  threshold_ = best.threshold;
  positive_above_ = best.above;
}

Status BestStumpLearner::Load(ByteReader& in) {
  Status loaded = kept_.Load(in);
  if (loaded && kept_.fitted() > 0) Fit();
  return loaded;
}

}  // namespace sotto
