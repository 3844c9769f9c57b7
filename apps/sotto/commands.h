#pragma once

#include "arguments.h"

namespace sotto::app {

// The rows of the program's table, each in a file of its own.
Command GenerateCommand();

}  // namespace sotto::app
