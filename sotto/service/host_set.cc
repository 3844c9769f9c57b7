#include "sotto/service/host_set.h"

#include <map>
#include <mutex>
#include <utility>

#include "sotto/service/model_folder.h"
#include "sotto/service/model_host.h"

namespace sotto {
namespace {

// Sums over the models of one population.
struct Total {
  double epsilon = 0;
  double delta = 0;
  Json::Array models{};
};

class FolderHosts final : public HostSet {
 public:
  FolderHosts(HostSetOptions options, ServiceFolder folder, const Key& root)
      : options_(std::move(options)), folder_(std::move(folder)), root_(root) {}
  ~FolderHosts() override { DrainAll(); }

  Status OpenAll();

  Status Check(const Json& configuration) const override;
  Result<Host*> Create(const Json& configuration) override;
  Host* Find(std::string_view name) const override;
  std::vector<Host*> hosts() const override;
  bool ready() const override;
  Json Populations() const override;
  void Drain() override { DrainAll(); }

 private:
  Result<ModelFile> CheckNew(const Json& json) const;
  Status CheckLimit(const ModelFile& model) const;
  Result<std::map<std::string, Total>> Totals() const;
  const Json* Limit(const std::string& population) const {
    return options_.populations.Find(population);
  }
  ModelHost* Start(const ModelConfiguration& configuration);
  void DrainAll();

  const HostSetOptions options_;
  const ServiceFolder folder_;
  const Key root_;
  std::mutex create_mutex_{};  // one model is made at a time
  mutable std::mutex mutex_{};
  std::map<std::string, std::unique_ptr<ModelHost>, std::less<>> hosts_{};
  std::map<std::string, ModelFile> models_{};
};

Status FolderHosts::OpenAll() {
  FileSystem& files = *options_.files;
  SOTTO_TRY_ASSIGN(const auto names, ListFolders(folder_.models(), files));
  for (const std::string& name : names) {
    auto model = ReadModelFile(folder_.model(name), files);
    if (!model && model.error().code == ErrorCode::kUnavailable) {
      // A creation that did not get far enough to matter.
      SOTTO_TRY_ASSIGN(const auto journal, files.Look(folder_.journal(name)));
      if (!journal) continue;
    }
    SOTTO_TRY(model);
    models_.emplace(name, *model);
    Start(model->configuration);
  }
  return Ok();
}

ModelHost* FolderHosts::Start(const ModelConfiguration& configuration) {
  const std::string& name = configuration.name;
  auto host = std::make_unique<ModelHost>(
      ModelHostOptions{.configuration = configuration,
                       .journal = folder_.journal(name),
                       .anchor = folder_.anchor(name),
                       .roots = {root_},
                       .snapshot_every = options_.snapshot_every,
                       .segment_bytes = options_.segment_bytes,
                       .snapshot_at_end = options_.snapshot_at_end,
                       .most_waiting = options_.most_waiting,
                       .files = options_.files});
  ModelHost* const started = host.get();
  const std::lock_guard lock(mutex_);
  hosts_[name] = std::move(host);
  return started;
}

Result<ModelFile> FolderHosts::CheckNew(const Json& json) const {
  SOTTO_TRY_ASSIGN(auto configuration, ModelConfiguration::Parse(json));
  if (Find(configuration.name) != nullptr) {
    return FailedPrecondition("a model '" + configuration.name +
                              "' exists already");
  }
  SOTTO_TRY_ASSIGN(const auto guarantee, ServedModel::Check(configuration));
  return ModelFile{std::move(configuration), guarantee.epsilon(),
                   guarantee.delta()};
}

Status FolderHosts::Check(const Json& configuration) const {
  SOTTO_TRY_ASSIGN(const auto model, CheckNew(configuration));
  return CheckLimit(model);
}

Status FolderHosts::CheckLimit(const ModelFile& model) const {
  const std::string& population = model.configuration.population;
  const Json* const limit = population.empty() ? nullptr : Limit(population);
  if (limit == nullptr) return Ok();
  SOTTO_TRY_ASSIGN(auto totals, Totals());
  const Total& total = totals[population];
  const auto within = [&](std::string_view key, double sum) {
    const Json* const most = limit->Find(key);
    return most == nullptr || (most->number() && sum <= *most->number());
  };
  if (within("epsilon", total.epsilon + model.epsilon) &&
      within("delta", total.delta + model.delta)) {
    return Ok();
  }
  return BudgetExhausted("the models on '" + population +
                         "' would pass its limit of " + limit->Dump());
}

Result<Host*> FolderHosts::Create(const Json& configuration) {
  const std::lock_guard lock(create_mutex_);
  SOTTO_TRY_ASSIGN(const auto model, CheckNew(configuration));
  SOTTO_TRY(CheckLimit(model));
  const std::string& name = model.configuration.name;
  FileSystem& files = *options_.files;
  SOTTO_TRY(files.CreateFolder(folder_.model(name)));
  SOTTO_TRY(files.SyncParentFolder(folder_.model(name)));
  SOTTO_TRY(WriteModelFile(folder_.model(name), model, files));
  {
    const std::lock_guard models(mutex_);
    models_.emplace(name, model);
  }
  ModelHost* const host = Start(model.configuration);
  host->WaitUntilStarted();
  const auto condition = host->condition();
  if (condition.state != Host::State::kFrozen) return host;
  return Unavailable(condition.reason);
}

Host* FolderHosts::Find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto host = hosts_.find(name);
  return host == hosts_.end() ? nullptr : host->second.get();
}

std::vector<Host*> FolderHosts::hosts() const {
  const std::lock_guard lock(mutex_);
  std::vector<Host*> hosts;
  for (const auto& [name, host] : hosts_) hosts.push_back(host.get());
  return hosts;
}

bool FolderHosts::ready() const {
  for (const Host* host : hosts()) {
    const auto condition = host->condition();
    if (!condition.ready() && condition.state != Host::State::kHalted) {
      return false;
    }
  }
  return true;
}

// Retired models were used on the same people and count.
Result<std::map<std::string, Total>> FolderHosts::Totals() const {
  std::map<std::string, Total> totals;
  const auto add = [&](const std::string& name, const ModelFile& model) {
    if (model.configuration.population.empty()) return;
    Total& total = totals[model.configuration.population];
    total.epsilon += model.epsilon;
    total.delta += model.delta;
    total.models.emplace_back(name);
  };
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, model] : models_) add(name, model);
  }
  FileSystem& files = *options_.files;
  SOTTO_TRY_ASSIGN(const auto retired, ListFolders(folder_.retired(), files));
  for (const std::string& name : retired) {
    SOTTO_TRY_ASSIGN(const auto model,
                     ReadModelFile(folder_.retired() + "/" + name, files));
    add("retired " + name, model);
  }
  return totals;
}

Json FolderHosts::Populations() const {
  Json json = Json::Object{};
  const auto totals = Totals();
  if (!totals) return Json::Object{{"error", totals.error().message}};
  for (const auto& [population, total] : *totals) {
    const Json* const limit = Limit(population);
    json[population] = Json::Object{{"epsilon", total.epsilon},
                                    {"delta", total.delta},
                                    {"models", total.models},
                                    {"limit", limit ? *limit : Json()}};
  }
  return json;
}

void FolderHosts::DrainAll() {
  for (Host* host : hosts()) host->Drain();
}

}  // namespace

Result<std::unique_ptr<HostSet>> HostSet::Open(HostSetOptions options) {
  FileSystem& files = *options.files;
  auto folder = ServiceFolder::At(options.folder, options.anchor, options.key);
  for (const std::string& path :
       {folder.folder, folder.models(), folder.anchors}) {
    SOTTO_TRY(files.CreateFolder(path));
    SOTTO_TRY(files.SyncParentFolder(path));
  }
  SOTTO_TRY_ASSIGN(const auto root, OpenServiceKey(folder, files));
  auto hosts = std::make_unique<FolderHosts>(std::move(options),
                                             std::move(folder), root);
  SOTTO_TRY(hosts->OpenAll());
  return std::unique_ptr<HostSet>(std::move(hosts));
}

}  // namespace sotto
