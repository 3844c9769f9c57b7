#pragma once

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/online/model_row.h"

namespace sotto {

// `predict` of PublishedRow, for weights that tide published: with a schema by
// the names of columns, without one by their places.
Status PredictByTide(const Json& json, const TableSource& source,
                     bool with_labels, const PublishedRow::Take& take);

}  // namespace sotto
