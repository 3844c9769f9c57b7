#include "sotto/learners/ensembles/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <system_error>
#include <thread>
#include <utility>

namespace sotto {
namespace {

using std::chrono::milliseconds;

Error SystemError(const char* call, int number) {
  return Unavailable(std::string(call) + ": " +
                     std::generic_category().message(number));
}

// Keeps SIGPIPE from this thread while it writes, and discards the one that a
// write may have raised, so that no handler of the host program runs.
class PipeSignalGuard {
 public:
  PipeSignalGuard() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~PipeSignalGuard() {
    const timespec now{};
    if (!was_pending_) {
      while (sigtimedwait(&pipe_, nullptr, &now) == -1 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  PipeSignalGuard(const PipeSignalGuard&) = delete;
  PipeSignalGuard& operator=(const PipeSignalGuard&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_;
};

// Two pipes, closed on the way out unless taken.
struct Pipes {
  std::array<int, 4> ends = {-1, -1, -1, -1};  // In: read, write; out: same.
  ~Pipes() {
    for (const int end : ends) {
      if (end >= 0) close(end);
    }
  }
  bool Open() {
    return pipe2(ends.data(), O_CLOEXEC) == 0 &&
           pipe2(ends.data() + 2, O_CLOEXEC) == 0;
  }
  int Take(std::size_t end) { return std::exchange(ends[end], -1); }
};

// Starts the shell with these as standard input and output, in its own process
// group and with no signal blocked or ignored. Returns an errno.
int Spawn(const std::string& command, int input, int output, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
                                            POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETSIGDEF);
  sigset_t none;
  sigset_t reset;
  sigemptyset(&none);
  sigemptyset(&reset);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM}) {
    sigaddset(&reset, signal);
  }
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &reset);
  std::array<std::string, 3> words = {"sh", "-c", command};
  std::array<char*, 4> arguments = {words[0].data(), words[1].data(),
                                    words[2].data(), nullptr};
  const int failed = posix_spawn(&pid, "/bin/sh", &actions, &attributes,
                                 arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

std::string Describe(int status) {
  if (WIFEXITED(status)) {
    return "ended with exit status " + std::to_string(WEXITSTATUS(status));
  }
  return "was ended by signal " + std::to_string(WTERMSIG(status));
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::Start(Params params) {
  if (params.command.empty()) return InvalidArgument("the command is empty");
  if (params.timeout <= milliseconds(0)) {
    return InvalidArgument("the timeout must be positive");
  }
  Pipes pipes;
  if (!pipes.Open()) return SystemError("pipe", errno);
  for (const std::size_t ours : {std::size_t{1}, std::size_t{2}}) {
    if (fcntl(pipes.ends[ours], F_SETFL, O_NONBLOCK) != 0) {
      return SystemError("fcntl", errno);
    }
  }
  pid_t pid = 0;
  const int failed = Spawn(params.command, pipes.ends[0], pipes.ends[3], pid);
  if (failed != 0) return SystemError("starting /bin/sh", failed);
  const int input = pipes.Take(1);
  const int output = pipes.Take(2);
  return std::unique_ptr<ChildProcess>(
      new ChildProcess(std::move(params), pid, input, output));
}

ChildProcess::~ChildProcess() {
  if (input_ >= 0) close(input_);
  close(output_);
  // The group may outlive the shell that led it.
  kill(-pid_, SIGKILL);
  if (status_) return;
  while (waitpid(pid_, nullptr, 0) == -1 && errno == EINTR) {
  }
}

ChildProcess::Deadline ChildProcess::NewDeadline() const {
  return std::chrono::steady_clock::now() + params_.timeout;
}

Status ChildProcess::Wait(int pipe, short events, Deadline deadline) const {
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left <= milliseconds(0)) {
      return Unavailable(std::string("the program did not ") +
                         (events == POLLIN ? "answer" : "read its input") +
                         " within " + std::to_string(params_.timeout.count()) +
                         " ms");
    }
    pollfd query{.fd = pipe, .events = events, .revents = 0};
    const auto wait =
        static_cast<int>(std::min(left, milliseconds(1 << 30)).count());
    const int ready = poll(&query, 1, wait);
    if (ready > 0) return Ok();
    if (ready < 0 && errno != EINTR) return SystemError("poll", errno);
  }
}

bool ChildProcess::Reap(Deadline deadline) {
  while (!status_) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      status_ = status;
    } else if (std::chrono::steady_clock::now() > deadline) {
      return false;
    } else {
      std::this_thread::sleep_for(milliseconds(1));
    }
  }
  return true;
}

Error ChildProcess::Ended() {
  // It closes its pipes a moment before it can be waited for.
  const bool ended = Reap(std::chrono::steady_clock::now() +
                          std::min(params_.timeout, milliseconds(1000)));
  if (ended) return Unavailable("the program " + Describe(*status_));
  return Unavailable("the program closed its pipe");
}

std::optional<ChildProcess::End> ChildProcess::ended() const {
  if (!status_) return std::nullopt;
  if (WIFSIGNALED(*status_)) return End{true, WTERMSIG(*status_)};
  return End{false, WEXITSTATUS(*status_)};
}

Result<ChildProcess::End> ChildProcess::Finish() {
  close(std::exchange(input_, -1));
  const Deadline deadline = NewDeadline();
  std::size_t dropped = 0;
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const ssize_t n = read(output_, buffer.data(), buffer.size());
    if (n == 0) break;
    if (n > 0) {
      dropped += static_cast<std::size_t>(n);
      if (dropped > params_.max_line_bytes) {
        return Unavailable("the program wrote more than " +
                           std::to_string(params_.max_line_bytes) +
                           " bytes after its input had ended");
      }
    } else if (errno == EAGAIN) {
      const Status ready = Wait(output_, POLLIN, deadline);
      if (!ready) return ready.error();
    } else if (errno != EINTR) {
      return SystemError("read", errno);
    }
  }
  if (!Reap(deadline)) return Unavailable("the program did not end");
  return *ended();
}

Status ChildProcess::WriteLine(std::string_view line) {
  const PipeSignalGuard guard;
  const Deadline deadline = NewDeadline();
  std::string bytes(line);
  bytes.push_back('\n');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = write(input_, bytes.data() + done, bytes.size() - done);
    if (n >= 0) {
      done += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN) {
      Status ready = Wait(input_, POLLOUT, deadline);
      if (!ready) return ready;
    } else if (errno == EPIPE) {
      return Ended();
    } else if (errno != EINTR) {
      return SystemError("write", errno);
    }
  }
  return Ok();
}

std::string ChildProcess::TakeLine(std::size_t newline) {
  std::string line = unread_.substr(0, newline);
  unread_.erase(0, newline + 1);
  return line;
}

std::string_view ChildProcess::Unread() {
  std::array<char, 1 << 12> buffer;
  const ssize_t n = read(output_, buffer.data(), buffer.size());
  if (n > 0) unread_.append(buffer.data(), static_cast<std::size_t>(n));
  return unread_;
}

Result<std::string> ChildProcess::ReadLine() {
  const Deadline deadline = NewDeadline();
  std::size_t searched = 0;
  while (true) {
    const std::size_t newline = unread_.find('\n', searched);
    if (newline != std::string::npos) return TakeLine(newline);
    if (unread_.size() > params_.max_line_bytes) {
      return Unavailable("the program wrote a line of more than " +
                         std::to_string(params_.max_line_bytes) + " bytes");
    }
    searched = unread_.size();
    std::array<char, 1 << 16> buffer;
    const ssize_t n = read(output_, buffer.data(), buffer.size());
    if (n > 0) {
      unread_.append(buffer.data(), static_cast<std::size_t>(n));
    } else if (n == 0) {
      return Ended();
    } else if (errno == EAGAIN) {
      const Status ready = Wait(output_, POLLIN, deadline);
      if (!ready) return ready.error();
    } else if (errno != EINTR) {
      return SystemError("read", errno);
    }
  }
}

}  // namespace sotto
