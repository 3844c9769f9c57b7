#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>

#include "sotto/service/http/message.h"

namespace sotto::http {

// The way in which the body of a request ended.
enum class BodyEnd : std::uint8_t {
  kWhole,
  kTooLong,    // beyond the limit; only what came before it is kept
  kMalformed,  // its chunks make no sense
  kCut,        // the client closed the connection; no one reads the reply
  kLate,       // incomplete at the deadline
};

struct Body {
  std::string text;
  BodyEnd end = BodyEnd::kWhole;
};

// Sends the response of one request. May be called from any thread, and after
// the server is gone; only the first call counts.
using Reply = std::function<void(Response)>;

// A request whose head was accepted. `finish` is called exactly once, however
// the body ends: on the server's thread, which it must not block.
struct Accepted {
  std::size_t body_limit = 0;
  std::function<void(Body, Reply)> finish;
};

// Answers requests: decides on the head, either a response (the body is then
// read and dropped) or that the request is accepted. Called on the server's
// thread, which it must not block; requests of all connections come in the
// order in which their heads were complete. The request is valid during the
// call only.
using Decision = std::variant<Response, Accepted>;
using Handler = std::function<Decision(const Request&)>;

}  // namespace sotto::http
