#pragma once

#include <string_view>

namespace sotto::api {

// The calls of both listeners as an OpenAPI 3.1 document.
std::string_view OpenApiDocument();

}  // namespace sotto::api
