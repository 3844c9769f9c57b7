#include "waiting_line.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <system_error>
#include <utility>

namespace sotto::app {
namespace {

constexpr std::chrono::milliseconds kPatience{300};

}  // namespace

WaitingLine::WaitingLine(std::string doing) : doing_(std::move(doing)) {
  if (isatty(STDERR_FILENO) == 0) return;
  try {
    thread_ = std::thread([this] { Show(); });
  } catch (const std::system_error&) {
    // Under a limit on threads the work continues in silence.
  }
}

WaitingLine::~WaitingLine() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    over_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void WaitingLine::Show() {
  std::unique_lock lock(mutex_);
  const auto start = std::chrono::steady_clock::now();
  bool written = false;
  while (!ended_.wait_for(lock, kPatience, [this] { return over_; })) {
    const std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    std::fprintf(stderr, "\r%s, %.0f s", doing_.c_str(), time.count());
    std::fflush(stderr);
    written = true;
  }
  if (written) std::fputs("\r\033[K", stderr);
}

}  // namespace sotto::app
