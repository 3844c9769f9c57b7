#include "interrupt.h"

#include <unistd.h>

#include <initializer_list>

namespace sotto::app {
namespace {

volatile std::sig_atomic_t stop_requested = 0;

// A signal that comes just before a call begins to wait does not interrupt it:
// the alarm is for that. alarm() may be called in a handler.
void RequestStop(int /*signal*/) {
  stop_requested = 1;
  ::alarm(1);
}

}  // namespace

const volatile std::sig_atomic_t* CatchInterrupts() {
  struct sigaction action {};
  action.sa_handler = RequestStop;  // without SA_RESTART
  ::sigaction(SIGALRM, &action, nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    ::sigaction(signal, &action, nullptr);
  }
  return StopFlag();
}

const volatile std::sig_atomic_t* StopFlag() { return &stop_requested; }

}  // namespace sotto::app
