#include "audit_progress.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "command.h"
#include "interrupt.h"

namespace sotto::app {
namespace {

constexpr const char* kNoBar = "\r\033[K";
constexpr std::uint64_t kWidth = 30;
constexpr std::chrono::milliseconds kPeriod{250};

}  // namespace

AuditProgress::AuditProgress(bool shown) : shown_(shown) { CatchInterrupts(); }

AuditProgress::~AuditProgress() {
  ExitIfInterrupted();
  if (written_) std::fputs(kNoBar, stderr);
}

void AuditProgress::ExitIfInterrupted() {
  if (*StopFlag() == 0) return;
  const std::scoped_lock lock(mutex_);
  if (written_) std::fputs(kNoBar, stderr);
  // Other threads are still playing: nothing may be destroyed under them.
  std::quick_exit(
      Report(Unavailable(std::string(kInterrupted) + ": there is no verdict")));
}

void AuditProgress::Show(std::uint64_t games, std::uint64_t of) {
  ExitIfInterrupted();
  if (!shown_ || of == 0) return;
  const std::scoped_lock lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (now - last_ < kPeriod) return;
  last_ = now;
  written_ = true;
  const double share =
      std::min(1.0, static_cast<double>(games) / static_cast<double>(of));
  const double spent = std::chrono::duration<double>(now - start_).count();
  const auto full = static_cast<std::size_t>(share * double{kWidth});
  const std::string bar =
      std::string(full, '#') + std::string(kWidth - full, '.');
  std::fprintf(stderr, "\r[%s] %3.0f %%, about %.0f s left ", bar.c_str(),
               100 * share, share > 0 ? spent * (1 - share) / share : 0);
  std::fflush(stderr);
}

}  // namespace sotto::app
