#pragma once

#include <csignal>

namespace sotto::app {

// From now on SIGINT, SIGTERM and SIGHUP only set the flag that is returned, so
// that a run can end with its report and its saved state. A read that waits
// returns at once.
const volatile std::sig_atomic_t* CatchInterrupts();

}  // namespace sotto::app
