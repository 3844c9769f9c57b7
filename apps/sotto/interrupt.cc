#include "interrupt.h"

#include <initializer_list>

namespace sotto::app {
namespace {

volatile std::sig_atomic_t stop_requested = 0;

void RequestStop(int /*signal*/) { stop_requested = 1; }

}  // namespace

const volatile std::sig_atomic_t* CatchInterrupts() {
  struct sigaction action {};
  action.sa_handler = RequestStop;  // without SA_RESTART
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    ::sigaction(signal, &action, nullptr);
  }
  return &stop_requested;
}

}  // namespace sotto::app
