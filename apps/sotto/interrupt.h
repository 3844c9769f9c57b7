#pragma once

#include <csignal>

namespace sotto::app {

// From now on SIGINT, SIGTERM and SIGHUP only set the flag that is returned, so
// that a run can end with its report and its saved state; what is ignored (by
// nohup) stays so. A read or write that waits returns with EINTR at once, and
// again every second from then on: the caller that waits looks at the flag.
//
// To be called when the first answer is about to be given. Until then nothing
// is at stake, and a signal simply ends the process.
const volatile std::sig_atomic_t* CatchInterrupts();

// The same flag, before anything is caught.
const volatile std::sig_atomic_t* StopFlag();

// The message of an interrupted run on the way out.
inline constexpr const char* kInterrupted = "interrupted by a signal";

}  // namespace sotto::app
