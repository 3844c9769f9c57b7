#pragma once

#include "arguments.h"

namespace sotto::app {

// The rows of the program's table, each in a file of its own.
Command AccountCommand();
Command CountCommand();
Command GenerateCommand();
Command MonitorCommand();
Command QuantileCommand();

}  // namespace sotto::app
