#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sotto/service/http/handler.h"

namespace sotto::api {

// The parts of a path between its slashes: /v1/models/m/predict has four. A
// path that ends with a slash has an empty last part.
std::vector<std::string_view> SplitPath(std::string_view path);

// Returns true for GET and HEAD.
bool IsGet(const http::Request& request);

// The secret of `Authorization: Bearer SECRET`; empty if there is none.
std::string_view BearerToken(const http::Request& request);
// The password of `Authorization: Basic ...`; empty if there is none.
std::string BasicPassword(const http::Request& request);

// The media type without its parameters: "application/x-ndjson".
std::string_view MediaType(const http::Request& request);

// A document, with an ETag if `version` is not empty; 304 if the caller has it.
http::Response Document(const http::Request& request, std::string json,
                        const std::string& version = {});

}  // namespace sotto::api
