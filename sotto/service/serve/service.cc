#include "sotto/service/serve/service.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "sotto/data/files/file_system.h"
#include "sotto/service/engine/engine_store.h"
#include "sotto/service/serve/state_watch.h"

namespace sotto {
namespace {

constexpr std::size_t kShortestToken = 16;

// The addresses of a configuration, checked.
struct Addresses {
  http::Address users;
  http::Address operators;
};

Result<Addresses> ReadAddresses(const ServiceConfig& config) {
  SOTTO_TRY_ASSIGN(auto users, http::Address::Parse(config.listen));
  SOTTO_TRY_ASSIGN(auto operators,
                   http::Address::Parse(config.operator_address));
  if (config.certificate.empty() != config.private_key.empty()) {
    return InvalidArgument("TLS needs both a certificate and a private key");
  }
  if (!operators.is_local() && config.operator_token_file.empty()) {
    return InvalidArgument(
        "the operator's address " + config.operator_address +
        " can be reached from other machines: give --operator-token-file");
  }
  return Addresses{std::move(users), std::move(operators)};
}

Result<std::string> ReadToken(const std::string& path) {
  if (path.empty()) return std::string();
  SOTTO_TRY_ASSIGN(std::string token, RealFiles().Read(path, 4096));
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') {
    token.pop_back();
  }
  if (token.size() < kShortestToken) {
    return InvalidArgument(path + ": the operator's token must have at least " +
                           std::to_string(kShortestToken) + " characters");
  }
  return token;
}

HostSetOptions MakeHostOptions(const ServiceConfig& config,
                               const ServicePeers* peers) {
  HostSetOptions options{.folder = config.folder};
  options.anchor = config.anchor;
  options.key = config.key;
  options.snapshot_every = config.snapshot_every;
  options.populations = config.populations;
  options.budget = config.budget;
  options.budget_group = config.budget_group;
  if (peers == nullptr) return options;
  options.store = [&config, peers](std::vector<Key> roots) {
    return MakeEngineStore(
        {.url = config.engine,
         .folder = ServiceFolder::At(config.folder, config.anchor, config.key),
         .roots = std::move(roots),
         .holder = peers->holder(),
         .address = peers->address(),
         .roster = &peers->roster()});
  };
  return options;
}

// The name that a model of the configuration gets.
std::string ModelName(const Json& model) {
  for (const char* member : {"name", "model"}) {
    const Json* found = model.Find(member);
    if (found != nullptr && found->text() != nullptr) return *found->text();
  }
  return "";
}

// An empty folder for as long as the object lives.
class ScratchFolder {
 public:
  ScratchFolder()
      : path_(std::filesystem::temp_directory_path() / "sotto-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string Url(const http::Address& address, bool tls) {
  if (address.is_unix()) return address.ToString();
  return (tls ? "https://" : "http://") + address.ToString();
}

}  // namespace

// Replies of models use the hosts of peers_, which use those of hosts_.
RunningService::~RunningService() {
  if (hosts_) hosts_->Drain();
  if (peers_) peers_->Leave();
}

Status RunningService::Check(const ServiceConfig& config) {
  SOTTO_TRY(ReadAddresses(config));
  SOTTO_TRY(ReadToken(config.operator_token_file));
  SOTTO_TRY(ServicePeers::Check(config));
  const ScratchFolder scratch;
  SOTTO_TRY_ASSIGN(const auto hosts,
                   HostSet::Open({.folder = scratch.path(),
                                  .populations = config.populations}));
  for (const Json& model : config.models) {
    if (const Status good = hosts->Check(model); !good) {
      return InvalidArgument("model '" + ModelName(model) +
                             "': " + good.error().message);
    }
  }
  return Ok();
}

Result<std::unique_ptr<RunningService>> RunningService::Start(
    const ServiceConfig& config, EventLog& log) {
  std::unique_ptr<RunningService> service(new RunningService(config, log));
  SOTTO_TRY(ServicePeers::Check(config));
  SOTTO_TRY(service->Bind());
  SOTTO_TRY(service->Open());
  SOTTO_TRY(service->MakeApis());
  if (service->hosts_) SOTTO_TRY(service->MakeModels());
  if (service->hosts_) service->MakePages();
  Json::Object facts = {{"users", service->user_url()},
                        {"operator", service->operator_url()},
                        {"models", service->models().hosts().size()}};
  if (service->peers_) facts.emplace_back("peer", service->peers_->address());
  log.Write("listening", facts);
  return service;
}

// Other processes learn the address of this one before its models are open.
Status RunningService::Open() {
  SOTTO_TRY(RealFiles().CreateFolder(config_.folder));
  if (!config_.engine.empty()) {
    const auto& bound = server_->addresses();
    const http::Address peer = bound.size() > 2 ? bound[2] : http::Address{};
    SOTTO_TRY_ASSIGN(peers_, ServicePeers::Make(config_, peer));
  }
  if (!config_.is_front()) {
    SOTTO_TRY_ASSIGN(hosts_,
                     HostSet::Open(MakeHostOptions(config_, peers_.get())));
  }
  if (peers_) SOTTO_TRY(peers_->Join(hosts_.get()));
  SOTTO_TRY_ASSIGN(credentials_, api::Credentials::Open(config_.folder));
  if (peers_) peers_->ShareKeys(*credentials_);
  meter_ = std::make_unique<RequestMeter>([this](std::string_view model) {
    return models().Find(model) != nullptr;
  });
  return Ok();
}

void RunningService::MakePages() {
  watch_ = std::make_unique<ServiceWatch>(
      *hosts_, *meter_,
      ServiceWatchOptions{.folder = config_.folder,
                          .version = config_.version,
                          .draining = [this] { return server_->draining(); }});
  pages_ = std::make_unique<OperatorPages>(
      *watch_,
      MetricsSources{.hosts = *hosts_,
                     .meter = *meter_,
                     .watch = *watch_,
                     .connections = [this] { return server_->counts(); },
                     .version = config_.version});
}

http::Decision RunningService::AskUsers(const http::Request& request) {
  return meter_->Watch(request, (*users_)(request));
}

// No request is answered before Run.
Status RunningService::Bind() {
  SOTTO_TRY_ASSIGN(const Addresses addresses, ReadAddresses(config_));
  std::vector<http::Listener> listeners = {
      {.address = addresses.users,
       .handler = [this](const auto& request) { return AskUsers(request); },
       .certificate = config_.certificate,
       .private_key = config_.private_key,
       .reply_grid = std::chrono::milliseconds(config_.reply_grid)},
      {.address = addresses.operators, .handler = [this](const auto& request) {
         return (*operator_)(request);
       }}};
  if (!config_.engine.empty() && !config_.is_front()) {
    SOTTO_TRY_ASSIGN(const auto peer, ServicePeers::ListenAddress(config_));
    listeners.push_back(
        {.address = peer, .handler = [this](const auto& request) {
           return peers_->Answer(request);
         }});
  }
  SOTTO_TRY_ASSIGN(server_,
                   http::Server::Create(config_.limits, std::move(listeners)));
  return Ok();
}

Status RunningService::MakeApis() {
  SOTTO_TRY_ASSIGN(const Addresses addresses, ReadAddresses(config_));
  SOTTO_TRY_ASSIGN(std::string token, ReadToken(config_.operator_token_file));
  const api::Service service{
      .hosts = models(), .draining = [this] { return server_->draining(); }};
  users_ = std::make_unique<api::UserApi>(
      service, *credentials_,
      api::UserApi::Options{.require_key = !addresses.users.is_local(),
                            .body = config_.body,
                            .bulk_body = config_.bulk_body,
                            .bulk_lines = config_.bulk_lines});
  operator_ = std::make_unique<api::OperatorApi>(
      service, *credentials_,
      api::OperatorApi::Options{
          .token = std::move(token),
          .on_created =
              [this](const auto& model) {
                log_.Write("model_created", {{"model", model}});
              },
          .pages =
              [this](const auto& request) {
                return pages_ ? (*pages_)(request) : std::nullopt;
              }});
  return Ok();
}

Status RunningService::MakeModels() {
  for (const Json& model : config_.models) {
    const std::string name = ModelName(model);
    if (hosts_->Find(name) != nullptr) {
      log_.Write("model_found", {{"model", name}});
      continue;
    }
    const auto made = hosts_->Create(model);
    // Another process may have been faster.
    if (!made && hosts_->Find(name) == nullptr) return made.error();
    log_.Write("model_created", {{"model", name}});
  }
  return Ok();
}

std::string RunningService::user_url() const {
  return Url(server_->addresses()[0], !config_.certificate.empty());
}

std::string RunningService::operator_url() const {
  return Url(server_->addresses()[1], false);
}

void RunningService::Run() {
  {
    const StateWatch watch(models(), log_);
    server_->DrainOnSignals();
    server_->Run();
    log_.Write("draining");
    models().Drain();
  }
  pages_.reset();
  watch_.reset();
  log_.Write("stopped");
}

}  // namespace sotto
