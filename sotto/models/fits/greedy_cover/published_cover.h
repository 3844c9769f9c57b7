#pragma once

#include "sotto/online/model_row.h"

namespace sotto {

// Shows and uses a decision list that was published (cover_model.md).
const PublishedRow& PublishedCover();

}  // namespace sotto
