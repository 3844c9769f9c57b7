#include "sotto/learners/decision_list_learner.h"

#include <algorithm>

namespace sotto {

OnlineDecisionListLearner::OnlineDecisionListLearner(std::uint32_t features)
    : features_(features), levels_(std::size_t{features} * 4 + 2, 1) {}

template <typename Visit>
void OnlineDecisionListLearner::ForConditions(FeatureView x,
                                              const Visit& visit) const {
  auto next = x.begin();
  for (std::size_t i = 0; i < features_; ++i) {
    bool value = false;
    if (next != x.end() && next->index == i) value = (next++)->value > 0.5;
    visit(2 * i + (value ? 1 : 0));
  }
  visit(2 * std::size_t{features_});
}

OnlineDecisionListLearner::Decision OnlineDecisionListLearner::Decide(
    FeatureView x) const {
  std::uint16_t level = UINT16_MAX;
  std::int64_t balance = 0;
  ForConditions(x, [&](std::size_t condition) {
    for (const std::size_t label : {std::size_t{0}, std::size_t{1}}) {
      const std::uint16_t at = levels_[2 * condition + label];
      if (at > level) continue;
      if (at < level) balance = 0;
      level = at;
      balance += label == 1 ? 1 : -1;
    }
  });
  return {level, balance > 0};
}

void OnlineDecisionListLearner::Update(FeatureView x, bool y) {
  const Decision decision = Decide(x);
  if (decision.answer == y) return;
  // Nothing explains the example if the answer came from the last level.
  if (decision.level >= features_ + 2) {
    std::fill(levels_.begin(), levels_.end(), std::uint16_t{1});
    return;
  }
  ForConditions(x, [&](std::size_t condition) {
    std::uint16_t& level = levels_[2 * condition + (y ? 0 : 1)];
    if (level == decision.level) ++level;
  });
}

void OnlineDecisionListLearner::Save(ByteWriter& out) const {
  for (const std::uint16_t level : levels_) out.Number(level);
}

Status OnlineDecisionListLearner::Load(ByteReader& in) {
  bool sound = true;
  for (std::uint16_t& level : levels_) {
    level = in.Number<std::uint16_t>();
    sound = sound && level >= 1 && level <= features_ + 2;
  }
  if (in.failed() || !sound) {
    return Corruption("not the levels of a decision list");
  }
  return Ok();
}

}  // namespace sotto
