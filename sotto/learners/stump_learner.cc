#include "sotto/learners/stump_learner.h"

#include <algorithm>
#include <numeric>

namespace sotto {

StumpLearner::StumpLearner(std::uint32_t features, Range range)
    : range_(range), sides_(features) {
  Forget();
  Choose();
}

void StumpLearner::Forget() {
  const Side unseen{{range_.high, range_.high}, {range_.low, range_.low}};
  std::fill(sides_.begin(), sides_.end(), unseen);
}

void StumpLearner::Teach(FeatureView x, bool y) {
  auto next = x.begin();
  for (std::uint32_t axis = 0; axis < sides_.size(); ++axis) {
    double value = 0;
    if (next != x.end() && next->index == axis) value = (next++)->value;
    value = std::clamp(value, range_.low, range_.high);
    Side& side = sides_[axis];
    side.least[y] = std::min(side.least[y], value);
    side.largest[y] = std::max(side.largest[y], value);
  }
}

bool StumpLearner::Choose() {
  double widest = 0;
  for (std::uint32_t axis = 0; axis < sides_.size(); ++axis) {
    const Side& side = sides_[axis];
    for (const bool above : {true, false}) {
      // Thresholds in (from, to] explain this axis and direction.
      const double from = side.largest[!above];
      const double to = side.least[above];
      if (to <= from || to - from <= widest) continue;
      widest = to - from;
      const double middle = std::midpoint(from, to);
      axis_ = axis;
      threshold_ = middle > from ? middle : to;
      positive_above_ = above;
    }
  }
  return widest > 0;
}

void StumpLearner::Update(FeatureView x, bool y) {
  Teach(x, y);
  if (Choose()) return;
  Forget();
  Teach(x, y);
  // One example alone leaves a direction on every axis: the range has two ends.
  Choose();
}

void StumpLearner::Save(ByteWriter& out) const {
  for (const Side& side : sides_) {
    for (const double value : side.least) out.Real(value);
    for (const double value : side.largest) out.Real(value);
  }
}

Status StumpLearner::Load(ByteReader& in) {
  bool inside = true;
  const auto read = [&](double& value) {
    value = in.Real();
    inside = inside && range_.low <= value && value <= range_.high;
  };
  for (Side& side : sides_) {
    for (double& value : side.least) read(value);
    for (double& value : side.largest) read(value);
  }
  if (in.failed() || !inside || !Choose()) {
    return Corruption("not the state of a stump");
  }
  return Ok();
}

}  // namespace sotto
