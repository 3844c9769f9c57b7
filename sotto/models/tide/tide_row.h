#pragma once

#include "sotto/online/model_row.h"

namespace sotto {

// Tide's rows in the registry: the model, and the weights it publishes.
const OnlineRow& TideRow();
const PublishedRow& PublishedTide();

}  // namespace sotto
