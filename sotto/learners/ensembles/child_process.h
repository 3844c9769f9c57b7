#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/result.h"

namespace sotto {

// A child process that exchanges lines over pipes. It inherits our standard
// error.
//
//   auto child = ChildProcess::Start({.command = "./mylearner"});
//   auto sent = (*child)->WriteLine("{\"op\":\"save\"}");
//   auto answer = (*child)->ReadLine();
//
// Every failure is kUnavailable and names the cause: the program ended (with
// its exit status), closed a pipe, timed out, or wrote too much. Raises no
// SIGPIPE. The destructor kills the process group and waits for the process.
//
// Threads: not thread-safe.
class ChildProcess {
 public:
  struct Params {
    std::string command;                        // For /bin/sh -c.
    std::chrono::milliseconds timeout{10'000};  // For each call.
    std::size_t max_line_bytes = std::size_t{64} << 20;
  };

  static Result<std::unique_ptr<ChildProcess>> Start(Params params);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Appends the newline.
  Status WriteLine(std::string_view line);
  // Without the newline.
  Result<std::string> ReadLine();
  // True if a complete line was read from the pipe and not returned yet.
  bool HasLine() const { return unread_.find('\n') != std::string::npos; }

  // Unrequested output so far.
  std::string_view Unread();

  // The end of the process: an exit code, or a signal.
  struct End {
    bool by_signal = false;
    int code = 0;
  };
  // Closes its input, discards its remaining output, and waits for its end.
  // Must be the last call.
  Result<End> Finish();
  // Set once a call has found that it ended.
  std::optional<End> ended() const;

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  ChildProcess(Params params, pid_t pid, int input, int output)
      : params_(std::move(params)), pid_(pid), input_(input), output_(output) {}

  Deadline NewDeadline() const;
  // Waits until `events` are possible on the pipe.
  Status Wait(int pipe, short events, Deadline deadline) const;
  // The error for a pipe that the program no longer holds.
  Error Ended();
  // True if it ended before the deadline. Sets `status_`.
  bool Reap(Deadline deadline);
  std::string TakeLine(std::size_t newline);

  Params params_;
  pid_t pid_;
  std::optional<int> status_;  // once it was waited for
  int input_;                  // The program's standard input.
  int output_;                 // Its standard output.
  std::string unread_;
};

}  // namespace sotto
