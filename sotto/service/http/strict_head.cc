#include "sotto/service/http/strict_head.h"

#include <algorithm>

namespace sotto::http {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

bool IsToken(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z') || kMarks.find(c) != std::string_view::npos;
}

bool IsFieldText(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
}

bool IsFieldLine(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos) return false;
  return std::all_of(line.begin(), line.begin() + static_cast<long>(colon),
                     IsToken) &&
         std::all_of(line.begin() + static_cast<long>(colon), line.end(),
                     IsFieldText);
}

bool IsRequestLine(std::string_view line) {
  return std::all_of(line.begin(), line.end(),
                     [](char c) { return c >= 0x20 && c < 0x7f; });
}

bool IsDigits(std::string_view text) {
  return !text.empty() && text.size() <= 18 &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

bool IsHost(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](char c) {
    return IsToken(c) || c == ':' || c == '[' || c == ']';
  });
}

}  // namespace

HeadScanner::Found HeadScanner::Scan(std::string_view bytes) {
  while (at_ < bytes.size()) {
    const char c = bytes[at_++];
    if (c == '\0' || (c == '\n') != return_) return Found::kBad;
    return_ = c == '\r';
    if (return_) continue;
    if (c != '\n') {
      ++line_;
      continue;
    }
    if (line_ == 0) return at_ == kLineEnd.size() ? Found::kBad : Found::kEnd;
    line_ = 0;
  }
  return Found::kMore;
}

bool IsStrictHead(std::string_view head) {
  std::size_t end = head.find(kLineEnd);
  if (!IsRequestLine(head.substr(0, end))) return false;
  while (true) {
    head.remove_prefix(end + kLineEnd.size());
    end = head.find(kLineEnd);
    if (end == 0 || end == std::string_view::npos) return end == 0;
    if (!IsFieldLine(head.substr(0, end))) return false;
  }
}

int CheckHead(const Request& request, bool http11, const Limits& limits) {
  if (request.fields.size() > limits.fields) return 431;
  const std::size_t hosts = request.Count("Host");
  if (hosts > 1 || (http11 && hosts != 1)) return 400;
  if (hosts == 1 && !IsHost(*request.Find("Host"))) return 400;
  const std::size_t codings = request.Count("Transfer-Encoding");
  const std::size_t lengths = request.Count("Content-Length");
  if (codings + lengths > 1) return 400;
  if (lengths == 1 && !IsDigits(*request.Find("Content-Length"))) return 400;
  if (codings == 0) return 0;
  const bool chunked =
      EqualsIgnoringCase(*request.Find("Transfer-Encoding"), "chunked");
  return chunked && http11 ? 0 : 400;
}

bool SplitTarget(std::string_view target, Request& request) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!EqualsIgnoringCase(target.substr(0, scheme.size()), scheme)) continue;
    target.remove_prefix(scheme.size());
    target.remove_prefix(std::min(target.find('/'), target.size()));
    break;
  }
  if (!target.starts_with('/')) return false;
  const std::size_t mark = std::min(target.find('?'), target.size());
  request.path = target.substr(0, mark);
  request.query = target.substr(std::min(mark + 1, target.size()));
  return true;
}

}  // namespace sotto::http
