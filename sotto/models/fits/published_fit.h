#pragma once

#include <string>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// ModelFileFormat::show and ModelFileFormat::read of models that publish a
// FitFile.
Result<std::string> ShowFit(const Json& model);
Result<PublishedModel> ReadFit(const Json& model);

}  // namespace sotto
