#pragma once

#include <string>

#include "sotto/base/json.h"

namespace sotto {

// What pages are made of, beside plots. Texts are escaped here.

// A number that is seen from afar; several go into <div class="facts">.
std::string HeadlineNumber(const std::string& value, const std::string& name);
// A warning.
std::string Note(const std::string& text);
// A table of the members, and one of its "phases"; empty if it is no object.
std::string Parameters(const Json& parameters);

}  // namespace sotto
