#pragma once

#include <string>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/data/schemas/schema_facts.h"
#include "sotto/data/streams/schema.h"
#include "sotto/data/streams/table_reader.h"

namespace sotto {

// A schema for a table of these columns, from public facts. A column
// without a fact is a number without a range. Fails with kInvalidArgument if a
// fact is about no column.
Result<Schema> Scaffold(const std::vector<std::string>& columns,
                        const SchemaFacts& facts);

// The same, with types, values and ranges taken from the rows of `sample`,
// which must be public: nothing about this is private. Facts come first. Fails
// with kInvalidArgument, also where a column has too many values for a
// category.
Result<Schema> ScaffoldFromSample(TableReader& sample,
                                  const SchemaFacts& facts);

// The label column: as in the facts, or `y`; empty if there is none.
std::string LabelColumn(const std::vector<std::string>& columns,
                        const SchemaFacts& facts);

}  // namespace sotto
