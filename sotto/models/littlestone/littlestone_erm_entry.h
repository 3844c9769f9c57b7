#pragma once

#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// `littlestone-erm`: the paper's empirical risk minimiser, on a table.
const BatchModelEntry& LittlestoneErmEntry();
const ModelFileFormat& PublishedLittlestoneErm();

}  // namespace sotto
