#pragma once

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// `predict` of ModelFileFormat, for weights that tide published: with a schema
// by the names of columns, without one by their places.
Status PredictByTide(const Json& json, const TableSource& source,
                     bool with_labels, const ModelFileFormat::Take& take);

}  // namespace sotto
