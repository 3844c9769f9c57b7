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

// A program run beside this one, spoken to in lines over pipes. Its standard
// error stays ours.
//
//   auto child = ChildProcess::Start({.command = "./mylearner"});
//   auto sent = (*child)->WriteLine("{\"op\":\"save\"}");
//   auto answer = (*child)->ReadLine();
//
// Every failure is kUnavailable and says what the program did: ended (with its
// exit status), closed a pipe, was silent too long, wrote too much. A program
// that ended raises no signal here. The destructor kills what still runs, with
// all it started in its process group, and waits for it.
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
  // A whole line was read from the pipe already and not asked for yet.
  bool HasLine() const { return unread_.find('\n') != std::string::npos; }

  // What it has written so far without being asked, up to now.
  std::string_view Unread();

  // How it ended: by itself with an exit code, or by a signal.
  struct End {
    bool by_signal = false;
    int code = 0;
  };
  // Closes its input, reads and drops what it still writes, and waits for its
  // end. Nothing may be called after it.
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
  // Whether it has ended by the deadline; then `status_` says how.
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
