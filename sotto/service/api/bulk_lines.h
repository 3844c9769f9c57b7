#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sotto::api {

// Splits newline-delimited JSON into its lines, without line ends. An end
// behind the last line makes no further line.
std::vector<std::string_view> SplitLines(std::string_view text);

// The text of the member "user" of a JSON object, found without parsing all of
// it. Empty if there is none, or it is not a text, or the line is not an object
// up to that place.
std::string FindUser(std::string_view line);

}  // namespace sotto::api
