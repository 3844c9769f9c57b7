#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/json.h"
#include "sotto/data/streams/row_error.h"

namespace sotto {

// Result of a batch fit on a table.
struct FitResult {
  Json model;        // to be published, guarantee inside
  std::string text;  // a human-readable form of the model
  Guarantee guarantee;
  Json parameters;
  // Rows of the table, usable or not. Public where a row may be replaced, by an
  // empty one too; secret where it may be added or removed.
  std::uint64_t rows = 0;
  SkipCounts skipped = {};              // the operator's own view
  std::vector<std::string> notes = {};  // for the operator
};

}  // namespace sotto
