#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/random/key.h"
#include "sotto/service/host_set.h"
#include "sotto/service/peers/peer_link.h"

namespace sotto {

struct PeerHostsOptions {
  HostSet* local = nullptr;  // models of this process; null: a front
  Key key;                   // DerivePeerKey
  // The process that writes a model. Absent: it is not known, or this one.
  std::function<std::optional<PeerTarget>(const std::string& model)> find;
  // Names of all models. Absent: they are not known yet.
  std::function<std::optional<std::vector<std::string>>()> models{};
  // True if it is certain that there is no model of that name.
  std::function<bool(std::string_view model)> lacks =
      [](std::string_view /*model*/) { return false; };
};

// All models of a service, wherever they are written: a request goes to the
// model of this process if it is its writer, and otherwise to the writer's
// process.
//
// Guarantee: peers.md, next to this file: no user sees more than one process
//            would show.
// Threads:   thread-safe.
std::unique_ptr<HostSet> MakePeerHosts(PeerHostsOptions options);

}  // namespace sotto
