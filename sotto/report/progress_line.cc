#include "sotto/report/progress_line.h"

#include <chrono>
#include <string>

#include "sotto/base/number_text.h"

namespace sotto {
namespace {

constexpr std::int64_t kPeriod = 250;  // milliseconds
constexpr std::uint64_t kRoundsPerClockLook = 1 << 10;

std::int64_t Milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

ProgressLine::~ProgressLine() {
  if (written_) std::fputs("\r\033[K", out_);
}

void ProgressLine::Update(std::uint64_t rounds) {
  if (out_ == nullptr || rounds % kRoundsPerClockLook != 0) return;
  const std::int64_t now = Milliseconds();
  if (now - last_ < kPeriod) return;
  last_ = now;
  written_ = true;
  std::string line = "\r" + WithCommas(rounds) + " " + words_.rounds;
  if (horizon_) {
    line += std::string(" of ") + words_.of + " " + WithCommas(*horizon_);
  }
  std::fputs(line.c_str(), out_);
  std::fflush(out_);
}

}  // namespace sotto
