#pragma once

#include "sotto/online/model_row.h"

namespace sotto {

// As BatchRow::fit.
Result<Fitted> FitCover(const Settings& settings, const TableSource& source,
                        const Key& key);

}  // namespace sotto
