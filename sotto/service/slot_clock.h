#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/result.h"

namespace sotto {

// The clock `slots`: groups of N rounds that end at fixed times, so that
// it is not public who came.
//
//   auto clock = SlotClock::Parse("slots:64/10");  // 64 places in 10 seconds
//   if (clock && *clock) ... (*clock)->rounds ...  // absent: arrivals
//
// Proof:   slots.md. Threads: a value type.
struct SlotClock {
  static constexpr std::uint64_t kMostRounds = 4096;
  static constexpr double kLeastSeconds = 0.01;
  static constexpr double kMostSeconds = 20;  // a request is answered in 30

  std::uint64_t rounds = 0;  // of a group: N can come
  double seconds = 1;        // from the end of one group to that of the next

  // "arrivals", "slots:ROUNDS" or "slots:ROUNDS/SECONDS". Fails with
  // kInvalidArgument.
  static Result<std::optional<SlotClock>> Parse(std::string_view text);
  std::string ToText() const;

  // The end of the group that is open at this time: a whole multiple of the
  // period, so that it does not depend on when a process started.
  using Time = std::chrono::system_clock::time_point;
  Time NextEnd(Time now) const;
  // The end of the open group, which was to end at `end`: earlier if the
  // system's clock was set back, so that no group waits for it to catch up.
  Time KeepEnd(Time end, Time now) const { return std::min(end, NextEnd(now)); }

  friend bool operator==(const SlotClock&, const SlotClock&) = default;
};

}  // namespace sotto
