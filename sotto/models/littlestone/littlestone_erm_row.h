#pragma once

#include "sotto/online/model_row.h"

namespace sotto {

// `littlestone-erm`: the paper's empirical risk minimiser, on a table.
const BatchRow& LittlestoneErmRow();
const PublishedRow& PublishedLittlestoneErm();

}  // namespace sotto
