#pragma once

#include "sotto/online/model_row.h"

namespace sotto {

// Shows and uses what winnow published (winnow_publication.md).
const PublishedRow& PublishedWinnow();

}  // namespace sotto
