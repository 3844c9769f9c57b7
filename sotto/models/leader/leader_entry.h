#pragma once

#include <vector>

#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// The rows of the registry for the private leader, and for what it and each of
// its fits on its own publish.
const OnlineModelEntry& LeaderEntry();
const std::vector<const ModelFileFormat*>& PublishedFits();

}  // namespace sotto
