#pragma once

#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"
#include "sotto/data/schemas/schema_facts.h"
#include "sotto/data/streams/schema.h"
#include "sotto/data/streams/table_reader.h"
#include "sotto/random/rng.h"

namespace sotto {

// A schema whose ranges were found privately, and what that cost.
struct PrivateScaffold {
  Schema schema;
  Guarantee guarantee;
};

// As Scaffold, with a range for every number that no fact gives one
// (private_ranges.h). Requires a table that skips what cannot be used and
// quotes nothing: such rows are rows without numbers. Fails with
// kInvalidArgument for facts or a budget that make no sense, and as the table
// does, which does not depend on rows.
Result<PrivateScaffold> ScaffoldWithPrivateRanges(TableReader& table,
                                                  const SchemaFacts& facts,
                                                  const ApproximateDp& budget,
                                                  Rng& rng);

}  // namespace sotto
