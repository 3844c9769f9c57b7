#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sotto/base/result.h"
#include "sotto/service/api/credentials.h"
#include "sotto/service/engine/engine_keys.h"
#include "sotto/service/engine/engine_roster.h"
#include "sotto/service/host_set.h"
#include "sotto/service/http/address.h"
#include "sotto/service/http/handler.h"
#include "sotto/service/peers/peer_door.h"
#include "sotto/service/peers/peer_link.h"
#include "sotto/service/serve/service_config.h"

namespace sotto {

// The other processes of a service whose models are in a database: who they
// are, what they are asked, what they ask.
//
// Threads: Make, Join and Leave on one thread; the rest from any.
class ServicePeers {
 public:
  // Fails with kInvalidArgument for settings that do not fit together.
  static Status Check(const ServiceConfig& config);
  static Result<http::Address> ListenAddress(const ServiceConfig& config);
  // Tells the others that this process is there. `bound`: where it listens for
  // them; a front does not.
  static Result<std::unique_ptr<ServicePeers>> Make(const ServiceConfig& config,
                                                    const http::Address& bound);

  // Forwards what `local` does not write; null: everything. Fails if the key
  // cannot be read. Leave, before `local` ends, drops what is under way.
  Status Join(HostSet* local);
  void Leave();

  // Shares the keys of `credentials` with the other processes, until Leave.
  void ShareKeys(api::Credentials& credentials);

  EngineRoster& roster() const { return *roster_; }
  const std::string& holder() const { return roster_->holder(); }
  const std::string& address() const { return address_; }
  HostSet& hosts() const { return *hosts_; }
  http::Decision Answer(const http::Request& request) {
    return (*door_)(request);
  }

 private:
  ServicePeers(const ServiceConfig& config, std::string address)
      : config_(config), address_(std::move(address)) {}
  Result<Key> OpenKey(const HostSet* local) const;
  std::optional<PeerTarget> FindTarget(const std::string& model) const;

  const ServiceConfig& config_;
  const std::string address_;
  std::optional<EngineKeys> keys_{};
  std::optional<Key> key_{};                // set by Join
  std::unique_ptr<EngineRoster> roster_{};  // uses keys_
  std::unique_ptr<HostSet> hosts_{};
  std::unique_ptr<PeerDoor> door_{};
};

}  // namespace sotto
