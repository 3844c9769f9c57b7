#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sotto/service/http/handler.h"
#include "sotto/service/http/message.h"
#include "sotto/service/http/server_limits.h"

namespace sotto::http {

// Reads one request from bytes that arrive piece by piece; knows no socket.
//
//   RequestParser parser(limits);
//   while (parser.stage() < RequestParser::Stage::kDone) {
//     in.erase(0, parser.Put(in));  // in: unread bytes
//     ...
//   }
//
// Threads: not thread-safe.
class RequestParser {
 public:
  enum class Stage : std::uint8_t {
    kHead,     // the head is incomplete
    kBody,     // the head is complete, the body is not
    kDone,     // all is here
    kBadHead,  // status() says why; there is no request
    kBadBody,  // body_end() says why
  };

  explicit RequestParser(const Limits& limits);
  ~RequestParser();

  // Reads from `bytes`, which starts with the bytes that the last call did not
  // use. Returns how many are used. Stops behind the head, and behind the body.
  std::size_t Put(std::string_view bytes);
  // Sets the limit of the body. Called once, when the head is complete and
  // before more bytes are put.
  void LimitBody(std::size_t limit);

  Stage stage() const;
  int status() const;        // of kBadHead: 400 or 431
  BodyEnd body_end() const;  // of kBadBody
  const Request& request() const;
  bool wants_continue() const;  // the client waits for "100 Continue"
  std::size_t body_size() const;
  std::string TakeBody();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sotto::http
