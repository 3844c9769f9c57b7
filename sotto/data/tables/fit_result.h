#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/json.h"
#include "sotto/data/streams/row_error.h"

namespace sotto {

// Rows of a table that a fit treats as empty places, and rows without a name.
// Operator only.
struct TableUse {
  static constexpr std::size_t kNamedRows = 5;

  SkipCounts skipped = {};              // bad rows
  std::vector<std::string> first = {};  // the first of them: place and reason
  std::uint64_t over_limit = 0;  // rows of users who have used up their rows
  std::uint64_t unnamed = 0;     // each is a separate user

  void AddBadRow(std::string where) {
    if (first.size() < kNamedRows) first.push_back(std::move(where));
  }
};

// Result of a batch fit on a table.
struct FitResult {
  Json model;        // to be published, guarantee inside
  std::string text;  // a human-readable form of the model
  Guarantee guarantee;
  Json parameters;
  // Rows of the table, usable or not. Public where a row may be replaced, by an
  // empty one too; secret where it may be added or removed.
  std::uint64_t rows = 0;
  TableUse use = {};
  std::vector<std::string> notes = {};  // for the operator
};

}  // namespace sotto
