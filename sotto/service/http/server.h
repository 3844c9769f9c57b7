#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/service/http/address.h"
#include "sotto/service/http/handler.h"
#include "sotto/service/http/server_limits.h"

namespace sotto::http {

// One address of a server.
struct Listener {
  Address address;
  Handler handler;
  // Files in PEM form; empty: no TLS.
  std::string certificate{};
  std::string private_key{};
  // Responses leave at whole multiples of this time, so that how long one took
  // shows no more than that; 0: at once.
  std::chrono::milliseconds reply_grid{0};
};

// An HTTP/1.1 server: any number of addresses, one thread, bounded in
// everything (Limits). It decides which bytes are requests; what they mean is
// the handlers' business.
//
//   auto server = Server::Create(limits, {{.address = *address,
//                                          .handler = handler}});
//   server->Run();          // until Drain, from any thread, or a signal
//
// Threads: Run on one thread; Drain and the rest from any.
class Server {
 public:
  // Binds every address. Fails with kUnavailable if one is in use or not this
  // machine's, and with kInvalidArgument if TLS files cannot be used.
  static Result<std::unique_ptr<Server>> Create(
      const Limits& limits, std::vector<Listener> listeners);
  ~Server();

  // The addresses, with the ports that the system gave.
  const std::vector<Address>& addresses() const;

  // Serves until it has drained.
  void Run();
  // Makes SIGINT and SIGTERM drain. A second one ends at once.
  void DrainOnSignals();
  // Stops listening, closes idle connections at once, lets requests under way
  // finish within Limits::drain.
  void Drain();
  bool draining() const;

  // Counts since the start. Public, but of no use to users.
  struct Counts {
    std::uint64_t open = 0;      // connections now
    std::uint64_t accepted = 0;  // connections
    std::uint64_t turned_away = 0;
    std::uint64_t requests = 0;  // with a complete head
    std::uint64_t malformed = 0;
  };
  Counts counts() const;

 private:
  class Impl;
  explicit Server(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  // Shared with replies that are still to come.
  std::shared_ptr<Impl> impl_;
};

}  // namespace sotto::http
