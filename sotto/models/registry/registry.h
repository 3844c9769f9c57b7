#pragma once

#include <string_view>
#include <vector>

#include "sotto/online/model_row.h"

namespace sotto {

// All models there are, one row each. Whoever needs to know which they are asks
// here; what depends on which model it is, is in its row.
//
// Threads: the tables never change.

const std::vector<const OnlineRow*>& OnlineModels();
const std::vector<const BatchRow*>& BatchModels();
// What can be shown and used after it was published.
const std::vector<const PublishedRow*>& PublishedModels();

// The row of that name, or null.
const OnlineRow* FindOnlineModel(std::string_view name);
const BatchRow* FindBatchModel(std::string_view name);
const PublishedRow* FindPublishedModel(std::string_view name);

}  // namespace sotto
