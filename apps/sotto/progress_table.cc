#include "progress_table.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

#include "command.h"

namespace sotto::app {
namespace {

constexpr std::int64_t kLinePeriod = 250;  // milliseconds
constexpr std::uint64_t kRoundsPerClockLook = 1 << 10;

unsigned long long Wide(std::uint64_t number) { return number; }

std::int64_t Milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double Share(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

Result<ProgressTable> ProgressTable::Create(Params params,
                                            const RunTally::Point& start) {
  ProgressTable table(std::move(params));
  const std::string& every = table.params_.every;
  double number = 0;
  const char* end = every.data() + every.size();
  const auto read = std::from_chars(every.data(), end, number);
  const bool factor = every.find('.') != std::string::npos;
  if (read.ec != std::errc() || read.ptr != end || !std::isfinite(number) ||
      !(number > (factor ? 1 : 0)) || number > 1e18 ||
      (!factor && number != std::floor(number))) {
    return InvalidArgument("-P " + Quote(every) +
                           ": give a whole number of rounds, or a factor "
                           "above 1 with a point, e.g. 2.0");
  }
  if (factor) {
    table.factor_ = number;
  } else {
    table.step_ = static_cast<std::uint64_t>(number);
    table.next_ = table.step_;
  }
  table.last_ = start;
  while (table.next_ <= start.rounds) table.Advance(table.next_);
  return table;
}

void ProgressTable::Header() {
  if (params_.out == nullptr) return;
  if (params_.public_only) {
    std::fprintf(params_.out,
                 "Mistakes are private estimates: this table may be shown.\n"
                 "%12s %12s %9s %6s\n",
                 "rounds", "mistakes", "average", "phase");
    return;
  }
  std::fprintf(params_.out,
               "The operator's own view, not covered by the guarantee "
               "(--public prints what is):\n"
               "%12s %12s %9s %10s %10s %6s\n",
               "rounds", "mistakes", "average", "since last", "paid", "phase");
}

void ProgressTable::PrintPublic(const RunTally::Point& now) {
  std::fprintf(
      params_.out, "%12llu %12lld %9.6f ", Wide(now.rounds),
      static_cast<long long>(now.shown),
      Share(static_cast<double>(now.shown), static_cast<double>(now.rounds)));
}

void ProgressTable::PrintOwn(const RunTally::Point& now) {
  const auto mistakes = static_cast<double>(now.mistakes);
  std::fprintf(params_.out, "%12llu %12llu %9.6f %10.6f %10llu ",
               Wide(now.rounds), Wide(now.mistakes),
               Share(mistakes, static_cast<double>(now.rounds)),
               Share(mistakes - static_cast<double>(last_.mistakes),
                     static_cast<double>(now.rounds - last_.rounds)),
               Wide(now.paid));
}

void ProgressTable::Print(const RunTally::Point& now, std::uint64_t phase) {
  if (params_.out != nullptr) {
    params_.public_only ? PrintPublic(now) : PrintOwn(now);
    std::fprintf(params_.out, "%6llu\n", Wide(phase + 1));
    std::fflush(params_.out);
  }
  last_ = now;
  Advance(now.rounds);
}

void ProgressTable::Advance(std::uint64_t rounds) {
  if (step_ > 0) {
    next_ = (rounds / step_ + 1) * step_;
    return;
  }
  const double next = std::ceil(static_cast<double>(next_) * factor_);
  next_ = std::max(next_ + 1, static_cast<std::uint64_t>(std::min(next, 1e18)));
}

void ProgressTable::Last(const RunTally::Point& now, std::uint64_t phase) {
  if (now.rounds != last_.rounds) Print(now, phase);
}

ProgressLine::~ProgressLine() {
  if (printed_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::Tick(std::uint64_t rounds) {
  if (!shown_ || rounds % kRoundsPerClockLook != 0) return;
  const std::int64_t now = Milliseconds();
  if (now - last_ < kLinePeriod) return;
  last_ = now;
  printed_ = true;
  std::fprintf(stderr, "\r%llu rounds", Wide(rounds));
  if (horizon_ > 0) std::fprintf(stderr, " of about %llu", Wide(horizon_));
}

}  // namespace sotto::app
