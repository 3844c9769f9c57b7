#include "sotto/service/serve/service_peers.h"

#include <unistd.h>

#include <vector>

#include "sotto/journal/journal_keys.h"
#include "sotto/service/model_folder.h"
#include "sotto/service/peers/peer_hosts.h"
#include "sotto/service/peers/peer_seal.h"

namespace sotto {
namespace {

constexpr const char* kAnyPort = "127.0.0.1:0";

// Unlike the name of every process before it.
std::string ProcessName() {
  char host[256] = "";
  static_cast<void>(::gethostname(host, sizeof host - 1));
  std::string name = std::string(host) + ":" + std::to_string(::getpid()) + ":";
  constexpr std::string_view kHex = "0123456789abcdef";
  for (const char byte : RandomLane().substr(0, 4)) {
    name += kHex[static_cast<unsigned char>(byte) >> 4];
    name += kHex[static_cast<unsigned char>(byte) & 15];
  }
  return name;
}

bool IsWildcard(const http::Address& address) {
  return address.host == "0.0.0.0" || address.host == "::";
}

}  // namespace

Result<http::Address> ServicePeers::ListenAddress(const ServiceConfig& config) {
  return http::Address::Parse(config.peer.empty() ? kAnyPort : config.peer);
}

Status ServicePeers::Check(const ServiceConfig& config) {
  if (config.role != "writer" && config.role != "front") {
    return InvalidArgument("the role is 'writer' or 'front', not '" +
                           config.role + "'");
  }
  const bool named = !config.peer.empty() || !config.advertise.empty();
  if (config.engine.empty() && (config.is_front() || named)) {
    return InvalidArgument(
        "--role front, --peer and --advertise are for models in a database: "
        "give --engine");
  }
  if (config.is_front() && !config.models.empty()) {
    return InvalidArgument("a front makes no models: leave --model out");
  }
  if (config.is_front() && named) {
    return InvalidArgument(
        "nobody forwards to a front: leave --peer and --advertise out");
  }
  SOTTO_TRY_ASSIGN(const auto peer, ListenAddress(config));
  if (IsWildcard(peer) && config.advertise.empty()) {
    return InvalidArgument("--peer " + config.peer +
                           " is every address of this machine: say with "
                           "--advertise which one the others use");
  }
  return Ok();
}

Result<std::unique_ptr<ServicePeers>> ServicePeers::Make(
    const ServiceConfig& config, const http::Address& bound) {
  std::string address;
  if (!config.is_front()) {
    address = config.advertise.empty() ? bound.ToString() : config.advertise;
  }
  std::unique_ptr<ServicePeers> peers(
      new ServicePeers(config, std::move(address)));
  peers->keys_.emplace(config.engine);
  peers->roster_ = std::make_unique<EngineRoster>(
      EngineRosterOptions{.url = config.engine,
                          .holder = config.is_front() ? "" : ProcessName(),
                          .address = peers->address_,
                          .read_more = [keys = &*peers->keys_](auto& session) {
                            keys->Read(session);
                          }});
  return peers;
}

// Writers derive it and leave it for fronts.
Result<Key> ServicePeers::OpenKey(const HostSet* local) const {
  const auto folder =
      ServiceFolder::At(config_.folder, config_.anchor, config_.key);
  const std::string path = config_.peer_key.empty()
                               ? config_.folder + "/peer.key"
                               : config_.peer_key;
  if (local == nullptr) return ReadKeyFile(path);
  SOTTO_TRY_ASSIGN(const Key root, ReadKeyFile(folder.key));
  const Key key = DerivePeerKey(root);
  SOTTO_TRY(WritePeerKey(path, key));
  return key;
}

std::optional<PeerTarget> ServicePeers::FindTarget(
    const std::string& model) const {
  const auto writer = roster_->FindWriter(model);
  const bool gone = !writer || (!writer->locked && !writer->alive);
  if (gone || writer->address.empty() || writer->holder == holder()) {
    return std::nullopt;
  }
  return PeerTarget{writer->address, writer->term};
}

Status ServicePeers::Join(HostSet* local) {
  SOTTO_TRY_ASSIGN(const Key key, OpenKey(local));
  key_ = key;
  if (local != nullptr) door_ = std::make_unique<PeerDoor>(*local, key);
  using Names = std::optional<std::vector<std::string>>;
  hosts_ = MakePeerHosts(
      {.local = local,
       .key = key,
       .find = [this](const auto& model) { return FindTarget(model); },
       .models =
           [this] {
             return roster_->known() ? Names(roster_->models()) : Names();
           },
       .lacks = [this](auto model) { return roster_->Lacks(model); }});
  return Ok();
}

// Every process has the key of messages, and derives that of the hashes from
// it.
void ServicePeers::ShareKeys(api::Credentials& credentials) {
  EngineKeys* const keys = &*keys_;
  api::SharedKeys shared{
      .key = key_->Derive("peers-v1", "credentials", {}),
      .read_within = [keys](auto time) { return keys->ReadWithin(time); }};
  if (!config_.is_front()) {
    shared.add = [keys](const api::SharedKey& key) {
      return keys->Add({key.name, key.hash, key.rights});
    };
    shared.remove = [keys](const auto& name) { return keys->Remove(name); };
  }
  credentials.Share(std::move(shared));
  keys_->Watch([&credentials](const std::vector<StoredApiKey>& stored) {
    std::vector<api::SharedKey> all;
    for (const auto& key : stored) {
      all.push_back({key.name, key.hash, key.rights});
    }
    credentials.SetShared(all);
  });
}

void ServicePeers::Leave() {
  keys_->Watch(nullptr);
  hosts_.reset();
}

}  // namespace sotto
