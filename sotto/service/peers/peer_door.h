#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sotto/service/host_set.h"
#include "sotto/service/http/handler.h"
#include "sotto/service/peers/peer_seal.h"
#include "sotto/service/peers/peer_wire.h"

namespace sotto {

inline constexpr const char* kPeerLanePath = "/lane";
inline constexpr const char* kPeerAskPath = "/ask";

// The side of the process that writes models: answers questions of other
// processes, on its own listener. It gives requests to the hosts of this
// process and never forwards them, so a request takes one hop at most.
//
// Threads: the server's; answers come from hosts' threads.
class PeerDoor {
 public:
  // The hosts must outlive it and the answers.
  PeerDoor(const HostSet& hosts, const Key& key) : hosts_(hosts), seal_(key) {}

  http::Decision operator()(const http::Request& request);

 private:
  struct Lane {
    std::string name;
    std::uint64_t last = 0;  // number that was taken
  };

  http::Response OpenLane(std::string_view body);
  void Answer(std::string_view body, const http::Reply& reply);
  // Takes a number of a lane once. False: the lane is not known.
  bool Take(std::string_view lane, std::uint64_t number, bool& again);
  void Submit(PeerAsk ask, std::string place, const http::Reply& reply) const;

  const HostSet& hosts_;
  PeerSeal seal_;
  std::list<Lane> lanes_;  // from the one that was silent longest
  std::unordered_map<std::string, std::list<Lane>::iterator> places_;
};

}  // namespace sotto
