#pragma once

#include <csignal>
#include <string_view>

#include "sotto/base/result.h"

namespace sotto {

// Writes text for people to a descriptor: nothing in it commands a terminal
// (sotto/base/printable.h), and a signal ends the wait for a reader that does
// not read.
//
//   TextOut out(STDOUT_FILENO, stop);
//   out.Print("rounds 7\n");
//   if (!out.status()) return out.status().error();
//
// Threads: not thread-safe.
class TextOut {
 public:
  // `fd` -1: nowhere. `stop` is set by a signal handler.
  TextOut(int fd, const volatile std::sig_atomic_t* stop)
      : fd_(fd), stop_(stop) {}

  // Writes all of it; nothing after a failure, and once the reader has gone.
  // After a signal it waits for the reader for a second at most, once.
  void Print(std::string_view text);
  bool somewhere() const { return fd_ >= 0; }
  // The first failure. A reader that has gone, or stalls while a signal ends
  // the run, is none.
  const Status& status() const { return status_; }

 private:
  bool Ready() const;

  int fd_;
  const volatile std::sig_atomic_t* stop_;
  bool gone_ = false;
  Status status_ = Ok();
};

}  // namespace sotto
