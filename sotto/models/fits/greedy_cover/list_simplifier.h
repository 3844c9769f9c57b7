#pragma once

#include <vector>

#include "sotto/models/fits/greedy_cover/decision_list.h"

namespace sotto {

// Rules that predict the same for every row there could be: see
// DecisionList::Simplified.
struct SimplifiedRules {
  std::vector<ListRule> rules;
  bool otherwise = false;
};
SimplifiedRules SimplifyRules(const FitColumns& columns,
                              const std::vector<ListRule>& rules,
                              bool otherwise);

}  // namespace sotto
