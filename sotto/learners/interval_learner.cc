#include "sotto/learners/interval_learner.h"

#include <algorithm>
#include <numeric>

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

// As in a threshold, an end is never put on the 0 that bounds it.
double IntervalLearner::lower() const {
  if (empty()) return kInfinity;
  const double middle = std::midpoint(outer_low_, inner_low_);
  return middle > outer_low_ ? middle : inner_low_;
}

double IntervalLearner::upper() const {
  if (empty()) return -kInfinity;
  const double middle = std::midpoint(inner_high_, outer_high_);
  return middle < outer_high_ ? middle : inner_high_;
}

// An outer end at the end of the range need not be an example, so a 1 there
// does not contradict.
bool IntervalLearner::Contradicts(double value, bool y) const {
  if (empty()) return false;
  if (!y) return inner_low_ <= value && value <= inner_high_;
  return (value <= outer_low_ && outer_low_ > range_.low) ||
         (value >= outer_high_ && outer_high_ < range_.high);
}

void IntervalLearner::Forget() {
  outer_low_ = range_.low;
  outer_high_ = range_.high;
  inner_low_ = kInfinity;
  inner_high_ = -kInfinity;
}

void IntervalLearner::Update(FeatureView x, bool y) {
  const double value = std::clamp(ValueAt(x, 0), range_.low, range_.high);
  if (Contradicts(value, y)) Forget();
  if (y) {
    inner_low_ = std::min(inner_low_, value);
    inner_high_ = std::max(inner_high_, value);
  } else if (!empty()) {
    if (value < inner_low_) outer_low_ = std::max(outer_low_, value);
    if (value > inner_high_) outer_high_ = std::min(outer_high_, value);
  }
}

void IntervalLearner::Save(ByteWriter& out) const {
  for (const double end : {outer_low_, inner_low_, inner_high_, outer_high_}) {
    out.Real(end);
  }
}

Status IntervalLearner::Load(ByteReader& in) {
  for (double* end : {&outer_low_, &inner_low_, &inner_high_, &outer_high_}) {
    *end = in.Real();
  }
  const bool fresh = inner_low_ == kInfinity && inner_high_ == -kInfinity &&
                     outer_low_ == range_.low && outer_high_ == range_.high;
  const bool ordered = range_.low <= outer_low_ && outer_low_ <= inner_low_ &&
                       inner_low_ <= inner_high_ &&
                       inner_high_ <= outer_high_ && outer_high_ <= range_.high;
  if (in.failed() || !(fresh || ordered)) {
    return Corruption("not the state of an interval");
  }
  return Ok();
}

}  // namespace sotto
