#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sotto/random/rng.h"
#include "sotto/service/host_request.h"
#include "sotto/service/served_model.h"

namespace sotto {

// A step of a group, and the request that it answers; absent: it fills the
// group up.
struct SlotStep {
  ServedStep step;
  std::optional<std::size_t> request{};
};

// The steps of one group of the clock `slots`, in the order in which they are
// applied and recorded: labels, then rounds, as many of each as the group has
// places, and last what needs no record. A request has a place that is drawn
// at random, so that the places of some do not depend on who else came.
//
//   for (SlotStep& at : MakeSlotGroup(model, requests, rng)) ...
//
// A label beyond the last place, and a round beyond it, is answered as not
// available. A round that comes again has a place, too, which is played as an
// empty round: it was taken from others. Requires model.slots().
//
// Proof: slots.md.
std::vector<SlotStep> MakeSlotGroup(
    ServedModel& model, std::span<const HostRequest* const> requests, Rng& rng);

// Places of a group in random order: each order is equally likely.
std::vector<std::size_t> DrawPlaces(std::size_t places, Rng& rng);

}  // namespace sotto
