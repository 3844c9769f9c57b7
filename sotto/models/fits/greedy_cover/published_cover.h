#pragma once

#include "sotto/online/model_entry.h"

namespace sotto {

// Shows and uses a decision list that was published (cover_model.md).
const ModelFileFormat& PublishedCover();

}  // namespace sotto
