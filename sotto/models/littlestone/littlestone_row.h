#pragma once

#include "sotto/online/model_row.h"

namespace sotto {

// `littlestone`: a function of a finite class, learned online and published.
const OnlineRow& LittlestoneRow();
const PublishedRow& PublishedLittlestone();

}  // namespace sotto
