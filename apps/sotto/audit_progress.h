#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>

namespace sotto::app {

// A bar on a terminal with the time that is left, gone at the end.
//
// Threads: Show may be called from any.
class AuditProgress {
 public:
  explicit AuditProgress(bool shown) : shown_(shown) {}
  ~AuditProgress();
  AuditProgress(const AuditProgress&) = delete;
  AuditProgress& operator=(const AuditProgress&) = delete;

  void Show(std::uint64_t games, std::uint64_t of);

 private:
  using Clock = std::chrono::steady_clock;

  bool shown_;
  bool written_ = false;
  std::mutex mutex_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = Clock::now();
};

}  // namespace sotto::app
