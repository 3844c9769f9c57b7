#pragma once

#include <cstddef>

namespace sotto {

// The places of the group that is open. A round that finds none is turned away
// and never queued: a queue would move everybody behind it.
//
//   SlotDoor door(places); ... if (door.Enter()) ... door.NextGroup();
//
// A place that is given is taken until the group ends, whatever the request
// turns out to be, so that who is turned away comes to a full group.
// Proof: slots.md, step 1. Threads: a value type.
class SlotDoor {
 public:
  // 0: there are no groups, and every round enters.
  explicit SlotDoor(std::size_t places = 0) : places_(places) {}

  bool Enter() {
    if (places_ > 0 && taken_ == places_) return false;
    ++taken_;
    return true;
  }
  void NextGroup() { taken_ = 0; }

  std::size_t places() const { return places_; }

 private:
  std::size_t places_;
  std::size_t taken_ = 0;
};

}  // namespace sotto
