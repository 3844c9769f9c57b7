#pragma once

#include <set>
#include <string>

#include "winnow_flags.h"

namespace sotto::app {

// `sotto plan winnow`. `given` are the names of the flags on the command line.
// Returns the exit code.
int PlanWinnowCommand(PopFlags common, const WinnowFlags& flags,
                      const std::set<std::string>& given, bool json);

}  // namespace sotto::app
