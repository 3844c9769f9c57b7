#pragma once

#include <string>

#include "sotto/base/json.h"

namespace sotto {

// Parts of pages, beside plots. Texts are escaped here.

// A number that is seen from afar; several go into <div class="facts">.
std::string HeadlineNumber(const std::string& value, const std::string& name);
// A warning.
std::string Note(const std::string& text);
// A table of the members, and one of its "phases"; empty if it is not an
// object.
std::string Parameters(const Json& parameters);

}  // namespace sotto
