#pragma once

#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// Shows and uses a decision list that was published (cover_model.md).
const ModelFileFormat& PublishedCover();

}  // namespace sotto
