#pragma once

#include <cstddef>
#include <optional>

#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/plan.h"
#include "sotto/service/slot_clock.h"

namespace sotto {

// Adds to a plan what a group size buys and costs.
//
//   auto plan = PlanModel(entry, settings, inputs);
//   AddSlots(entry, settings, {.clock = clock, .rate = 3}, *plan);
//
// The gain is proved (slots.md). The cost is computed from the clock, or was
// measured on one stream and is said to be; an assumption about how people come
// is marked as one.
struct SlotRequest {
  SlotClock clock;
  // Requests a second, as far as is publicly known. Absent: not known.
  std::optional<double> rate{};
  std::optional<std::size_t> columns{};  // of the schema
};
// Adds lines and the member "clock" to a plan, whose guarantee then covers
// whether a user came. Fails with kInvalidArgument for a model that cannot have
// the clock.
Status AddSlots(const OnlineModelEntry& entry, const Settings& settings,
                const SlotRequest& request, Plan& plan);

}  // namespace sotto
