#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"
#include "sotto/data/schemas/schema_facts.h"
#include "sotto/data/streams/schema.h"
#include "sotto/data/streams/table_reader.h"
#include "sotto/random/rng.h"

namespace sotto {

// A schema whose ranges were found privately, and its guarantee.
struct PrivateScaffold {
  Schema schema;
  Guarantee guarantee;
};

struct PrivateScaffoldParams {
  ApproximateDp budget = {};  // for a user with all rows
  std::uint64_t rows_per_user = 1;
  // Returns true if the user of a row has a row left, and counts the row. The
  // first rows_per_user rows of each name are admitted; a row without a name
  // (empty) always is. A UserLedger, for example.
  std::function<bool(std::string_view user)> admit;
};

// As Scaffold, with a range for every number that no fact gives one
// (private_ranges.h). A row of a user over the limit counts for nothing, like a
// bad row. Requires a table that skips what cannot be used and quotes nothing.
// Fails with kInvalidArgument for facts or a budget that make no sense, and as
// the table does, which does not depend on rows.
Result<PrivateScaffold> ScaffoldWithPrivateRanges(
    TableReader& table, const SchemaFacts& facts,
    const PrivateScaffoldParams& params, Rng& rng);

}  // namespace sotto
