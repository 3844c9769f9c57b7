#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "command.h"

namespace sotto::app {
namespace {

// open() gives the least number that is free: the closed one, in this order.
void OpenStandardDescriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    // The wrong way round: reading, or writing, fails.
    const int opened =
        ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened != fd) ::_exit(kFailed);
  }
}

void TurnOffCores() {
  constexpr rlimit kNone{0, 0};
  ::setrlimit(RLIMIT_CORE, &kNone);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// Returns true if standard output is a pipe whose reader has closed it.
bool ReaderHasGone() {
  pollfd request{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  return ::poll(&request, 1, 0) > 0 && (request.revents & POLLERR) != 0;
}

// A report that could not be written is a failure, unless its reader has gone.
int Flushed(int exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  if (ReaderHasGone()) return exit_code;
  const int failed = Report(
      {ErrorCode::kUnavailable,
       std::string("cannot write standard output: ") + std::strerror(errno)});
  return exit_code == kDone ? failed : exit_code;
}

}  // namespace

void PrepareProcess() {
  OpenStandardDescriptors();
  TurnOffCores();
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, nullptr);
  ::sigaction(SIGXFSZ, &ignore, nullptr);
}

int RunProgram(const std::function<int()>& program) {
  try {
    return Flushed(program());
  } catch (const std::bad_alloc&) {
    return Report({ErrorCode::kUnavailable, "there is not enough memory"});
  } catch (const std::exception& error) {
    return Report({ErrorCode::kUnavailable, error.what()});
  }
}

}  // namespace sotto::app
