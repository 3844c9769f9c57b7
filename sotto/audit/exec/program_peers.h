#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/learners/ensembles/child_process.h"

namespace sotto {

// A user's program that plays in games as mechanism or adversary. It exchanges
// JSON lines: one answer for each line. Every game has its own process. After
// the game the process plays another, or ends, if `fresh`.
//
//   ProgramPeers peers({.command = "./mine"});
//   ProgramPeer peer = peers.Borrow();
//   auto answer = peer.Ask(Json::Object{{"op", "begin"}, {"rounds", 20}});
//
// Fails with kUnavailable and the cause: the program cannot be started, ended,
// timed out, or wrote something other than one JSON object.
//
// Threads: Borrow may be called from many; a peer belongs to one thread.
class ProgramPeer;

class ProgramPeers {
 public:
  struct Params {
    std::string command;  // for /bin/sh -c
    std::chrono::milliseconds timeout{10'000};
    bool fresh = false;
  };

  explicit ProgramPeers(Params params) : params_(std::move(params)) {}
  ProgramPeers(const ProgramPeers&) = delete;
  ProgramPeers& operator=(const ProgramPeers&) = delete;

  // The peer must be destroyed before this object.
  ProgramPeer Borrow();

 private:
  friend class ProgramPeer;

  Params params_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<ChildProcess>> idle_;
};

class ProgramPeer {
 public:
  ProgramPeer(ProgramPeer&&) = default;
  ProgramPeer& operator=(ProgramPeer&&) = delete;
  ProgramPeer(const ProgramPeer&) = delete;
  ProgramPeer& operator=(const ProgramPeer&) = delete;
  ~ProgramPeer();

  // Starts the program, if it is not running.
  Result<Json> Ask(const Json& line);

 private:
  friend class ProgramPeers;
  explicit ProgramPeer(ProgramPeers& peers) : peers_(&peers) {}

  Result<Json> Exchange(const std::string& line);

  ProgramPeers* peers_;
  // Null before the first line and after a failure.
  std::unique_ptr<ChildProcess> child_;
};

}  // namespace sotto
