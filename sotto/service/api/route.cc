#include "sotto/service/api/route.h"

#include <sodium.h>

#include <algorithm>
#include <string>
#include <utility>

namespace sotto::api {

std::vector<std::string_view> SplitPath(std::string_view path) {
  std::vector<std::string_view> parts;
  while (path.starts_with('/')) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    parts.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return parts;
}

bool IsGet(const http::Request& request) {
  return request.method == "GET" || request.method == "HEAD";
}

namespace {

// The part of the field Authorization behind its scheme, "Bearer " or another.
std::string_view FindCredentials(const http::Request& request,
                                 std::string_view scheme) {
  const auto value = request.Find("Authorization");
  if (!value || value->size() <= scheme.size()) return {};
  if (!http::EqualsIgnoringCase(value->substr(0, scheme.size()), scheme)) {
    return {};
  }
  return value->substr(scheme.size());
}

}  // namespace

std::string_view BearerToken(const http::Request& request) {
  return FindCredentials(request, "Bearer ");
}

std::string BasicPassword(const http::Request& request) {
  const std::string_view coded = FindCredentials(request, "Basic ");
  std::string text(coded.size(), '\0');
  std::size_t size = 0;
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(text.data()),
                        text.size(), coded.data(), coded.size(), nullptr, &size,
                        nullptr, sodium_base64_VARIANT_ORIGINAL) != 0) {
    return {};
  }
  text.resize(size);
  const std::size_t colon = text.find(':');
  return colon == std::string::npos ? std::string() : text.substr(colon + 1);
}

std::string_view MediaType(const http::Request& request) {
  std::string_view type = request.Find("Content-Type").value_or("");
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  return type;
}

http::Response Document(const http::Request& request, std::string json,
                        const std::string& version) {
  http::Response response{.fields = {{"Cache-Control", "no-cache"}},
                          .body = std::move(json)};
  if (version.empty()) return response;
  const std::string tag = "\"" + version + "\"";
  response.fields.emplace_back("ETag", tag);
  if (request.Find("If-None-Match").value_or("") == tag) {
    response.status = 304;
    response.type.clear();
    response.body.clear();
  }
  return response;
}

}  // namespace sotto::api
