#include "sotto/learners/erm_learner.h"

#include <algorithm>

namespace sotto {

void ErmLearner::Choose() {
  const std::uint32_t least = *std::min_element(errors_.begin(), errors_.end());
  const auto equals = std::count(errors_.begin(), errors_.end(), least);
  auto before = (equals - 1) / 2;
  for (std::size_t h = 0; h < errors_.size(); ++h) {
    if (errors_[h] != least) continue;
    best_ = h;
    if (before-- == 0) return;
  }
}

void ErmLearner::Update(FeatureView x, bool y) {
  const auto point = functions_->FindPoint(x);
  if (!point) return;
  for (std::size_t h = 0; h < errors_.size(); ++h) {
    errors_[h] += functions_->Label(h, *point) != y ? 1 : 0;
  }
  Choose();
}

void ErmLearner::Save(ByteWriter& out) const {
  for (const std::uint32_t errors : errors_) out.Number(errors);
}

Status ErmLearner::Load(ByteReader& in) {
  for (std::uint32_t& errors : errors_) errors = in.Number<std::uint32_t>();
  if (in.failed()) {
    return Corruption("not the state of this class");
  }
  Choose();
  return Ok();
}

}  // namespace sotto
