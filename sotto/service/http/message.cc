#include "sotto/service/http/message.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace sotto::http {
namespace {

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr std::array<std::pair<int, std::string_view>, 22> kPhrases = {{
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
}};

}  // namespace

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

std::size_t Request::Count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::count_if(fields.begin(), fields.end(), [name](const Field& field) {
        return EqualsIgnoringCase(field.name, name);
      }));
}

std::optional<std::string_view> Request::Find(std::string_view name) const {
  std::optional<std::string_view> found;
  for (const Field& field : fields) {
    if (!EqualsIgnoringCase(field.name, name)) continue;
    if (found) return std::nullopt;
    found = field.value;
  }
  return found;
}

std::string_view ReasonPhrase(int status) {
  for (const auto& [code, phrase] : kPhrases) {
    if (code == status) return phrase;
  }
  return "Unknown";
}

std::string Serialize(const Response& response, bool head_only) {
  std::string text;
  text.reserve(192 + response.body.size());
  text.append("HTTP/1.1 ").append(std::to_string(response.status)).append(" ");
  text.append(ReasonPhrase(response.status)).append("\r\n");
  if (!response.type.empty()) {
    text.append("Content-Type: ").append(response.type).append("\r\n");
  }
  for (const auto& [name, value] : response.fields) {
    text.append(name).append(": ").append(value).append("\r\n");
  }
  if (response.close) text.append("Connection: close\r\n");
  if (response.stream) {
    text.append("Transfer-Encoding: chunked\r\n");
  } else if (response.status != 204 && response.status != 304) {
    text.append("Content-Length: ");
    text.append(std::to_string(response.body.size())).append("\r\n");
  }
  text.append("\r\n");
  if (!head_only && !response.stream) text.append(response.body);
  return text;
}

std::string MakeChunk(std::string_view piece) {
  std::array<char, 20> size{};
  const auto end =
      std::to_chars(size.data(), size.data() + size.size(), piece.size(), 16);
  std::string chunk(size.data(), end.ptr);
  return chunk.append("\r\n").append(piece).append("\r\n");
}

Response Problem(int status) {
  return {.status = status,
          .type = "application/problem+json",
          .body = "{\"title\":\"" + std::string(ReasonPhrase(status)) +
                  "\",\"status\":" + std::to_string(status) + "}"};
}

}  // namespace sotto::http
