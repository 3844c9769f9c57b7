#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>

namespace sotto::app {

// A bar on a terminal with the time that is left, gone at the end. An audit
// that a signal interrupts has no verdict: it says so and ends the process, and
// no folder of a program that is audited is left.
//
// Threads: Show may be called from any.
class AuditProgress {
 public:
  explicit AuditProgress(bool shown);
  ~AuditProgress();
  AuditProgress(const AuditProgress&) = delete;
  AuditProgress& operator=(const AuditProgress&) = delete;

  void Show(std::uint64_t games, std::uint64_t of);

 private:
  void ExitIfInterrupted();

  using Clock = std::chrono::steady_clock;

  bool shown_;
  bool written_ = false;
  std::mutex mutex_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = Clock::now();
};

}  // namespace sotto::app
