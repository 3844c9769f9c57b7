#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/models/fits/greedy_cover/cover_columns.h"
#include "sotto/models/fits/greedy_cover/decision_list.h"

namespace sotto {

// Returns true if the atom at `place` holds for a value in `cell`.
inline bool AtomHolds(const CoverColumn& column, std::uint32_t place,
                      std::size_t cell) {
  switch (column.type) {
    case CoverColumn::Type::kCategory:
    case CoverColumn::Type::kHashed:
      return cell == place;
    case CoverColumn::Type::kBoolean:
      return cell == 1;
    case CoverColumn::Type::kNumber:
      break;
  }
  return cell > place;  // at least cuts[place]
}

// Rules that predict the same for every row there could be: see
// DecisionList::Simplified.
struct SimplifiedRules {
  std::vector<ListRule> rules;
  bool otherwise = false;
};
SimplifiedRules SimplifyRules(const CoverColumns& columns,
                              const std::vector<ListRule>& rules,
                              bool otherwise);

}  // namespace sotto
