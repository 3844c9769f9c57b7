#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/service/http/server_limits.h"

namespace sotto {

// Everything `sotto serve` is asked for, from flags and from a file:
//
//   {"dir": "/var/lib/sotto", "listen": "127.0.0.1:8080",
//    "operator": "127.0.0.1:8081", "anchor": "/mnt/other/anchors",
//    "engine": "postgresql://db.internal/sotto", "peer": "10.0.0.5:8090",
//    "tls": {"certificate": "a.crt", "private_key": "a.key"},
//    "populations": {"people": {"epsilon": 3, "delta": 1e-5}},
//    "limits": {"connections": 20000, "request_seconds": 10},
//    "models": [{"name": "life", "model": "tide", "epsilon": 1, ...}]}
//
// Threads: a value type.
struct ServiceConfig {
  std::string version{};  // of the program, for pages
  std::string folder{};
  std::string listen = "127.0.0.1:8080";
  std::string operator_address = "127.0.0.1:8081";
  std::string anchor{};         // default: in the folder
  std::string key{};            // default: in the folder
  std::string engine{};         // database of the models; empty: the folder
  std::string role = "writer";  // or "front": forwards everything
  std::string peer{};           // address for other processes of the service
  std::string advertise{};      // the same, as they reach it; default: peer
  std::string peer_key{};       // of a front; default: in the folder
  std::string certificate{};    // of the users' listener; empty: no TLS
  std::string private_key{};
  std::string operator_token_file{};
  std::uint64_t snapshot_every = 1'000'000;
  std::uint32_t reply_grid = 0;  // milliseconds; http::Listener::reply_grid
  std::size_t body = 65'536;
  std::size_t bulk_body = std::size_t{4} << 20;
  std::size_t bulk_lines = 10'000;
  http::Limits limits{};
  Json populations = Json::Object{};
  std::string budget{};  // record that every new model is charged to
  std::string budget_group{};
  std::vector<Json> models{};

  // Sets what the document names. Fails with kInvalidArgument and the name of
  // the member that is unknown or of another type.
  Status Take(const Json& document);
  bool is_front() const { return role == "front"; }
  // Reads the file and takes it.
  Status TakeFile(const std::string& path);
};

}  // namespace sotto
