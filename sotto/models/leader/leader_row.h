#pragma once

#include <vector>

#include "sotto/online/model_row.h"

namespace sotto {

// The rows of the registry for the private leader, and for what it and each of
// its fits on its own publish.
const OnlineRow& LeaderRow();
const std::vector<const PublishedRow*>& PublishedFits();

}  // namespace sotto
