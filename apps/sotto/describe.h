#pragma once

#include "arguments.h"
#include "sotto/base/json.h"

namespace sotto::app {

// A command with its options and its nested commands, for tools/manual.py: the
// source of manual pages and of completion. `sotto --describe` prints it.
Json Describe(const Command& command);

}  // namespace sotto::app
