#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sotto/models/stumps/stump_table.h"

// Small tables of one feature, all of them, and their neighbours.

namespace sotto::testing {

struct Row {
  double value;
  bool label;
};
using Rows = std::vector<Row>;

inline StumpTable MakeTable(const Rows& rows) {
  StumpTable table(1);
  for (const Row& row : rows) {
    const Feature feature{0, row.value};
    table.Add({&feature, 1}, row.label);
  }
  return table;
}

// All tables of at most `most` rows of three values and two labels.
inline std::vector<Rows> AllTables(std::size_t most) {
  std::vector<Rows> all = {{}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].size() == most) continue;
    for (const double value : {0.0, 1.0, 2.0}) {
      for (const bool label : {false, true}) {
        // In order, so that none comes twice.
        if (!all[i].empty() &&
            std::pair(value, label) <
                std::pair(all[i].back().value, all[i].back().label)) {
          continue;
        }
        Rows longer = all[i];
        longer.push_back({value, label});
        all.push_back(std::move(longer));
      }
    }
  }
  return all;
}

// Calls `visit` with every pair that differs by a row removed or replaced.
template <typename Visit>
void ForEachNeighbour(std::size_t most, const Visit& visit) {
  for (const Rows& rows : AllTables(most)) {
    for (std::size_t out = 0; out < rows.size(); ++out) {
      Rows fewer = rows;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(out));
      visit(rows, fewer);
      for (const double value : {0.0, 1.0, 2.0}) {
        for (const bool label : {false, true}) {
          Rows other = fewer;
          other.push_back({value, label});
          visit(rows, other);
        }
      }
    }
  }
}

}  // namespace sotto::testing
