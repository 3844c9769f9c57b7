#pragma once

#include <cstdint>
#include <functional>

#include "sotto/base/result.h"
#include "sotto/base/round.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/data/tables/fit_result.h"

namespace sotto {

// Calls `take` for every line of a table that a fit reads, with its row, or
// with null for an empty place: a blank line, a bad row, a row without a label,
// a row of a user over the limit (fits.md). Users go through a UserLedger.
// `reader` must not skip bad rows: their reasons are noted here. Fails if the
// file cannot be read.
using TakePlace = std::function<void(const Round* row)>;
Result<TableUse> ForEachPlace(ExampleReader& reader,
                              std::uint64_t rows_per_user,
                              const TakePlace& take);

}  // namespace sotto
