#pragma once

#include <cstdint>

#include "sotto/base/result.h"
#include "sotto/data/streams/schema.h"
#include "sotto/models/fits/fit_columns.h"

namespace sotto {

// Columns of decision lists: all of it public, nothing learned from the rows.
struct CoverColumnParams {
  std::uint32_t cuts = 15;     // of a number, evenly spaced in its range
  std::uint32_t buckets = 32;  // of a category without values
};

// How fields become features, numbers being read as they are: the schema's
// columns without its label. Categories take any text.
Schema CoverSchema(const Schema& schema, const CoverColumnParams& params);

// How features by CoverSchema become codes, and where rules may cut. Fails with
// kInvalidArgument if a number has no range, or as CheckCoverColumns does.
Result<FitColumns> MakeCoverColumns(const Schema& schema,
                                    const CoverColumnParams& params);

// Sets which features belong to which column: one after the other. Fails with
// kInvalidArgument without columns, unless numbers have ascending finite cuts,
// categories different values and hashed columns 2 to 65536 buckets, and where
// a name or a value is not UTF-8: a model could not hold it.
Result<FitColumns> CheckCoverColumns(std::vector<FitColumn> columns);

}  // namespace sotto
