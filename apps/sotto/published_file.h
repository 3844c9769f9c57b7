#pragma once

#include <string>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/online/model_entry.h"

namespace sotto::app {

// A model that was published, and who can read it.
struct PublishedFile {
  const ModelFileFormat* format = nullptr;
  Json model;
};

// Fails with kInvalidArgument: no such file, not JSON, of no model there is.
Result<PublishedFile> ReadPublished(const std::string& path);

// Warns on standard error if the model's noise came from a seed. Returns true
// if so.
bool WarnIfSeeded(const Json& model);

}  // namespace sotto::app
