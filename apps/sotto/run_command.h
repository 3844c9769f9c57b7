#pragma once

#include "run_flags.h"
#include "winnow_flags.h"

namespace sotto::app {

// Each runs its model over the stream and returns the exit code. A new model is
// a StreamModel, such a function, and a line in run_command.cc.
int RunPop(RunFlags flags);
int RunWinnow(RunFlags run, WinnowFlags flags);

}  // namespace sotto::app
