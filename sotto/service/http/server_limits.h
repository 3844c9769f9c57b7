#pragma once

#include <chrono>
#include <cstddef>

namespace sotto::http {

// Bounds of a server. No request, connection or client gets past them.
struct Limits {
  std::size_t connections = 20'000;
  std::size_t header = 8'192;              // bytes of request line and fields
  std::size_t fields = 64;                 // of a request
  std::size_t body = 65'536;               // unless the handler allows more
  std::size_t buffered = 256ULL << 20;     // bytes of all bodies being read
  std::chrono::milliseconds idle{60'000};  // between two requests
  std::chrono::milliseconds request{10'000};  // first to last byte of a request
  std::chrono::milliseconds work{30'000};     // until the handler replies
  std::chrono::milliseconds write{10'000};    // until the client took the reply
  std::chrono::milliseconds linger{1'000};    // after an error, for the rest
  std::chrono::milliseconds drain{10'000};  // for what is under way at the end
};

}  // namespace sotto::http
