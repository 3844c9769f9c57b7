#pragma once

#include <string>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/online/model_row.h"

namespace sotto {

// As PublishedRow::show and PublishedRow::predict, for whatever publishes a
// FitFile.
Result<std::string> ShowFit(const Json& model);
Status PredictWithFit(const Json& model, const TableSource& source,
                      bool with_labels, const PublishedRow::Take& take);

}  // namespace sotto
