#pragma once

#include <string>
#include <string_view>

#include "sotto/base/json.h"

namespace sotto {

// The state of a model that needs a person, as a page shows it:
// {"level":"bad"|"warn","title","text","steps":[..]}, or null if it needs none.
// `status`: of Host::Status.
Json DescribeTrouble(const Json& status);

// The value of a member, or of a member of a member; null if it is missing.
const Json& Look(const Json& json, std::string_view name);
const Json& Look(const Json& json, std::string_view outer,
                 std::string_view inner);
std::string ReadText(const Json& json);  // empty if it is none

}  // namespace sotto
