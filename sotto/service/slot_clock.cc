#include "sotto/service/slot_clock.h"

#include <cmath>

#include "sotto/base/json.h"
#include "sotto/base/number_text.h"

namespace sotto {
namespace {

constexpr std::string_view kSlots = "slots:";

Error Invalid(std::string_view text) {
  return InvalidArgument(
      "the clock must be arrivals, slots:ROUNDS or slots:ROUNDS/SECONDS, with "
      "1 to " +
      std::to_string(SlotClock::kMostRounds) + " rounds and 0.01 to 20 " +
      "seconds; got '" + std::string(text) + "'");
}

}  // namespace

Result<std::optional<SlotClock>> SlotClock::Parse(std::string_view text) {
  if (text == "arrivals") return std::optional<SlotClock>();
  if (!text.starts_with(kSlots)) return Invalid(text);
  const std::string_view numbers = text.substr(kSlots.size());
  const std::size_t slash = numbers.find('/');
  const auto rounds = Json::Parse(numbers.substr(0, slash));
  SlotClock clock;
  if (!rounds || !rounds->natural()) return Invalid(text);
  clock.rounds = *rounds->natural();
  if (slash != std::string_view::npos) {
    const auto seconds = Json::Parse(numbers.substr(slash + 1));
    if (!seconds || !seconds->number()) return Invalid(text);
    clock.seconds = *seconds->number();
  }
  const bool good = clock.rounds >= 1 && clock.rounds <= kMostRounds &&
                    clock.seconds >= kLeastSeconds &&
                    clock.seconds <= kMostSeconds;
  if (!good) return Invalid(text);
  return std::optional(clock);
}

std::string SlotClock::ToText() const {
  return std::string(kSlots) + std::to_string(rounds) + "/" + Shortest(seconds);
}

SlotClock::Time SlotClock::NextEnd(Time now) const {
  using Ticks = std::chrono::system_clock::duration;
  const auto period =
      std::chrono::duration_cast<Ticks>(std::chrono::duration<double>(seconds));
  return Time(period * (now.time_since_epoch() / period + 1));
}

}  // namespace sotto
