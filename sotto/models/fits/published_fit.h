#pragma once

#include <string>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// As ModelFileFormat::show and ModelFileFormat::predict, for whatever publishes
// a FitFile.
Result<std::string> ShowFit(const Json& model);
Status PredictWithFit(const Json& model, const TableSource& source,
                      bool with_labels, const ModelFileFormat::Take& take);

}  // namespace sotto
