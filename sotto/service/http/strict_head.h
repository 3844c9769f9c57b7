#pragma once

#include <cstddef>
#include <string_view>

#include "sotto/service/http/message.h"
#include "sotto/service/http/server_limits.h"

namespace sotto::http {

// Finds the end of a head in bytes that arrive piece by piece, and refuses line
// ends that two servers could read in two ways.
class HeadScanner {
 public:
  enum class Found { kMore, kEnd, kBad };

  // `bytes` starts with all bytes of earlier calls.
  Found Scan(std::string_view bytes);
  // Length of the head with its empty line, once the end was found.
  std::size_t length() const { return at_; }

 private:
  std::size_t at_ = 0;    // bytes seen
  std::size_t line_ = 0;  // bytes of the current line
  bool return_ = false;   // the last byte was a carriage return
};

// Checks what a lenient parser lets through: folded lines, blanks before a
// colon, control characters. `head` is a complete head.
bool IsStrictHead(std::string_view head);

// The status that refuses a head which was parsed; 0 if it is good. Checks
// Host, Content-Length and Transfer-Encoding as RFC 9112 asks, without the
// repetitions that it tolerates.
int CheckHead(const Request& request, bool http11, const Limits& limits);

// Splits a request target into path and query; takes `http://host/path` too.
// Returns false if it is neither.
bool SplitTarget(std::string_view target, Request& request);

}  // namespace sotto::http
