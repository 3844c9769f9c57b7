#pragma once

#include "arguments.h"
#include "sotto/online/model_entry.h"

namespace sotto::app {

// `sotto run auto`: the model that `sotto plan` ranks first for the public
// facts that were given, said aloud, then run by `run`.
Command RunAuto(int (*run)(const OnlineModelEntry& entry, Settings settings));

}  // namespace sotto::app
