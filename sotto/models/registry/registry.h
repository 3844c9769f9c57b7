#pragma once

#include <string_view>
#include <vector>

#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// All models there are, one row each. Whoever needs to know which they are asks
// here; what depends on which model it is, is in its row.
//
// Threads: the tables never change.

const std::vector<const OnlineModelEntry*>& OnlineModels();
const std::vector<const BatchModelEntry*>& BatchModels();
// What can be shown and used after it was published.
const std::vector<const ModelFileFormat*>& PublishedModels();

// The row of that name, or null.
const OnlineModelEntry* FindOnlineModel(std::string_view name);
const BatchModelEntry* FindBatchModel(std::string_view name);
const ModelFileFormat* FindPublishedModel(std::string_view name);

}  // namespace sotto
