#pragma once

#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// Shows and uses what winnow published (winnow_publication.md).
const ModelFileFormat& PublishedWinnow();

}  // namespace sotto
