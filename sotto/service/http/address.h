#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sotto/base/result.h"

namespace sotto::http {

// An address to listen on: `127.0.0.1:8080`, `[::1]:8080`, `localhost:0` (the
// system gives a port) or `unix:/run/sotto.sock`.
struct Address {
  std::string host{};  // numeric; empty for a Unix socket
  std::uint16_t port = 0;
  std::string path{};  // of a Unix socket

  bool is_unix() const { return !path.empty(); }
  // Returns true if only this machine can reach it.
  bool is_local() const;
  // As it is written in a command line, or in front of a path in a URL.
  std::string ToString() const;

  // Fails with kInvalidArgument.
  static Result<Address> Parse(std::string_view text);
};

}  // namespace sotto::http
