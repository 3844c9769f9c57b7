#pragma once

#include <cstdint>
#include <string>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/row_error.h"

namespace sotto {

// Result of --strict: the rows of a file, read and not played. For the operator
// only.
//
//   SOTTO_TRY_ASSIGN(const auto check, CheckRows(reader));
//   Print(RowCheckText("stream.csv", check));
//
// Threads: free functions.
struct RowCheck {
  std::uint64_t rows = 0;
  std::uint64_t absent = 0;
  SkipCounts bad = {};
};

// Reads to the end. `reader` must skip bad rows. Fails with a failed read only.
Result<RowCheck> CheckRows(ExampleReader& reader);

// "stream.csv: 400 rows, 2 bad rows: ..." and a line for each place.
std::string RowCheckText(const std::string& name, const RowCheck& check);
Json RowCheckJson(const RowCheck& check);

// Appends to each place the flags that would help.
void AddHints(SkipCounts& bad);

}  // namespace sotto
