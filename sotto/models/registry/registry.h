#pragma once

#include <string_view>
#include <vector>

#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// All models, one entry each (adapter/entries.h lists them). Everything that
// depends on which model it is, is in its entry.
//
// Threads: the tables never change.

const std::vector<const OnlineModelEntry*>& OnlineModels();
const std::vector<const BatchModelEntry*>& BatchModels();
// Formats of published models, which can be shown and used.
const std::vector<const ModelFileFormat*>& PublishedModels();

// The entry of that name, or null.
const OnlineModelEntry* FindOnlineModel(std::string_view name);
const BatchModelEntry* FindBatchModel(std::string_view name);
const ModelFileFormat* FindPublishedModel(std::string_view name);

}  // namespace sotto
