#pragma once

#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// `littlestone`: a function of a finite class, learned online and published.
const OnlineModelEntry& LittlestoneEntry();
const ModelFileFormat& PublishedLittlestone();

}  // namespace sotto
