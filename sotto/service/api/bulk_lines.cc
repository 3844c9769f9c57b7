#include "sotto/service/api/bulk_lines.h"

#include <algorithm>

#include "sotto/base/json.h"

namespace sotto::api {
namespace {

constexpr std::string_view kKey = "\"user\"";

// Behind the text that starts with a quote at `at`; the end if it is open.
std::size_t SkipText(std::string_view line, std::size_t at) {
  for (++at; at < line.size() && line[at] != '"'; ++at) {
    if (line[at] == '\\') ++at;
  }
  return std::min(at + 1, line.size());
}

// Behind the white space of JSON, which a line end is not part of.
std::size_t SkipBlanks(std::string_view line, std::size_t at) {
  return std::min(line.find_first_not_of(" \t\r", at), line.size());
}

// The text at that place, which starts with a quote.
std::string ReadText(std::string_view line, std::size_t at) {
  const std::string_view quoted = line.substr(at, SkipText(line, at) - at);
  if (quoted.find('\\') == std::string_view::npos) {
    const bool closed = quoted.size() >= 2 && quoted.ends_with('"');
    return closed ? std::string(quoted.substr(1, quoted.size() - 2)) : "";
  }
  const auto json = Json::Parse(quoted);
  return json && json->text() != nullptr ? *json->text() : "";
}

}  // namespace

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string FindUser(std::string_view line) {
  int depth = 0;
  for (std::size_t at = 0; at < line.size();) {
    const char c = line[at];
    if (c != '"') {
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++at;
      continue;
    }
    const std::size_t end = SkipText(line, at);
    const std::size_t colon = SkipBlanks(line, end);
    const bool key = depth == 1 && line.substr(at, end - at) == kKey &&
                     colon < line.size() && line[colon] == ':';
    if (!key) {
      at = end;
      continue;
    }
    const std::size_t value = SkipBlanks(line, colon + 1);
    const bool text = value < line.size() && line[value] == '"';
    return text ? ReadText(line, value) : "";
  }
  return "";
}

}  // namespace sotto::api
