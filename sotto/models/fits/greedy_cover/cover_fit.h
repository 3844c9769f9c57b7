#pragma once

#include "sotto/data/tables/fit_result.h"
#include "sotto/data/tables/table_source.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// As BatchModelEntry::fit and check.
Result<FitResult> FitCover(const Settings& settings, const TableSource& source,
                           const Key& key);
Result<TableUse> CheckCoverTable(const Settings& settings,
                                 const TableSource& source);

}  // namespace sotto
