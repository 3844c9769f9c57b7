#pragma once

#include <functional>

namespace sotto::app {

// Before anything else: standard input, output and error are open (a closed one
// becomes a descriptor that fails, so that no file of ours gets its number and
// another program's output); no core file will ever hold rows and keys; a
// reader that goes away and a file that may not grow are errors, not signals.
void PrepareProcess();

// The exit code of `program`, or that of a failure if it throws (there is not
// enough memory, or no thread) or if standard output could not be written.
int RunProgram(const std::function<int()>& program);

}  // namespace sotto::app
