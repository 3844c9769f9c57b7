#pragma once

#include <functional>
#include <string>
#include <vector>

namespace sotto {

// A mechanism, and a check of its saved states: saved and loaded after every
// round it continues as one that is not, and other parameters refuse it.
struct StateCase {
  std::string header;
  std::function<void()> check;
};

// One or more of each header of mechanisms that declares a Save.
std::vector<StateCase> AllStates();

}  // namespace sotto
