#include "sotto/service/host.h"

namespace sotto {

std::string_view Host::StateName(State state) {
  switch (state) {
    case State::kStarting:
      return "starting";
    case State::kReady:
      return "ready";
    case State::kHalted:
      return "halted";
    case State::kDraining:
      return "draining";
    case State::kEnded:
      return "ended";
    case State::kFrozen:
      break;
  }
  return "frozen";
}

}  // namespace sotto
