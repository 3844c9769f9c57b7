#include "sotto/learners/threshold_learner.h"

#include <algorithm>

namespace sotto {

void ThresholdLearner::Update(FeatureView x, bool y) {
  const double value = std::clamp(ValueAt(x, 0), range_.low, range_.high);
  if (y) {
    if (value <= below_) below_ = range_.low;
    above_ = std::min(above_, value);
  } else {
    if (value >= above_) above_ = range_.high;
    below_ = std::max(below_, value);
  }
}

void ThresholdLearner::Save(ByteWriter& out) const {
  out.Real(below_);
  out.Real(above_);
}

Status ThresholdLearner::Load(ByteReader& in) {
  below_ = in.Real();
  above_ = in.Real();
  if (in.failed() || !(range_.low <= below_) || !(below_ <= above_) ||
      !(above_ <= range_.high)) {
    return Corruption("not the state of a threshold");
  }
  return Ok();
}

}  // namespace sotto
