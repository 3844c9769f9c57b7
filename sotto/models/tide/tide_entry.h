#pragma once

#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// Tide's rows in the registry: the model, and the weights it publishes.
const OnlineModelEntry& TideEntry();
const ModelFileFormat& PublishedTide();

}  // namespace sotto
