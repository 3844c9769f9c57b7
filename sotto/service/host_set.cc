#include "sotto/service/host_set.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "sotto/data/budgets/budget_file.h"
#include "sotto/service/model_folder.h"
#include "sotto/service/model_host.h"

namespace sotto {
namespace {

constexpr std::chrono::seconds kWatchEvery{1};

// Sums over the models of one population.
struct Total {
  double epsilon = 0;
  double delta = 0;
  Json::Array models{};
};

class StoredHosts final : public HostSet {
 public:
  StoredHosts(HostSetOptions options, std::shared_ptr<ModelStore> store,
              const Key& root)
      : options_(std::move(options)), store_(std::move(store)), root_(root) {}
  ~StoredHosts() override {
    StopWatching();
    DrainAll();
  }

  Status OpenAll();

  Status Check(const Json& configuration) const override;
  Result<Host*> Create(const Json& configuration) override;
  Host* Find(std::string_view name) const override;
  std::vector<Host*> hosts() const override;
  bool ready() const override;
  Json Populations() const override;
  Key history_key() const override {
    return root_.Derive("service-v1", "history", {});
  }
  void Drain() override {
    StopWatching();
    DrainAll();
  }

 private:
  Result<ModelFile> CheckNew(const Json& json) const;
  Status CheckClock(const ModelConfiguration& configuration) const;
  Status CheckLimit(const ModelFile& model) const;
  Status ChargeBudget(const ModelFile& model) const;
  Result<std::map<std::string, Total>> Totals() const;
  const Json* Limit(const std::string& population) const {
    return options_.populations.Find(population);
  }
  // `damage`: why it cannot start; the model is then frozen.
  ModelHost* Start(const ModelConfiguration& configuration,
                   std::string damage = {});
  void DrainAll();
  Status StartNew();
  void Watch();
  void StopWatching();

  const HostSetOptions options_;
  const std::shared_ptr<ModelStore> store_;
  const Key root_;
  std::mutex create_mutex_{};  // one model is made at a time
  mutable std::mutex mutex_{};
  std::map<std::string, std::unique_ptr<ModelHost>, std::less<>> hosts_{};
  std::map<std::string, ModelFile> models_{};
  std::vector<std::string> damaged_{};  // without a model.json; set by StartNew

  std::mutex watch_mutex_{};
  std::condition_variable watch_changed_{};
  bool stop_watching_ = false;
  std::thread watch_{};  // of a shared store
};

Status StoredHosts::OpenAll() {
  SOTTO_TRY(StartNew());
  if (store_->shared()) watch_ = std::thread([this] { Watch(); });
  return Ok();
}

// Starts the models of the store that are not here yet.
Status StoredHosts::StartNew() {
  SOTTO_TRY_ASSIGN(const auto entries, store_->List());
  for (const ModelStore::Entry& entry : entries) {
    if (Find(entry.name) != nullptr) continue;
    if (!entry.file) {
      const std::lock_guard lock(mutex_);
      damaged_.push_back(entry.name);
    } else {
      const std::lock_guard lock(mutex_);
      models_.emplace(entry.name, *entry.file);
    }
    if (entry.file) {
      const auto clock = CheckClock(entry.file->configuration);
      Start(entry.file->configuration, clock ? "" : clock.error().message);
    } else {
      Start({.name = entry.name, .model = ""}, entry.file.error().message);
    }
  }
  return Ok();
}

// Other processes make models, too.
void StoredHosts::Watch() {
  std::unique_lock lock(watch_mutex_);
  while (!watch_changed_.wait_for(lock, kWatchEvery,
                                  [this] { return stop_watching_; })) {
    lock.unlock();
    {
      const std::lock_guard create(create_mutex_);
      // A store that does not answer is asked again.
      static_cast<void>(StartNew());
    }
    lock.lock();
  }
}

void StoredHosts::StopWatching() {
  {
    const std::lock_guard lock(watch_mutex_);
    stop_watching_ = true;
  }
  watch_changed_.notify_all();
  if (watch_.joinable()) watch_.join();
}

ModelHost* StoredHosts::Start(const ModelConfiguration& configuration,
                              std::string damage) {
  const std::string& name = configuration.name;
  auto host = std::make_unique<ModelHost>(
      ModelHostOptions{.configuration = configuration,
                       .store = store_,
                       .roots = {root_},
                       .snapshot_every = options_.snapshot_every,
                       .snapshot_at_end = options_.snapshot_at_end,
                       .most_waiting = options_.most_waiting,
                       .damage = std::move(damage),
                       .groups_by_hand = options_.groups_by_hand,
                       .places = options_.places});
  ModelHost* const started = host.get();
  const std::lock_guard lock(mutex_);
  hosts_[name] = std::move(host);
  return started;
}

// A process that forwards does not know that names belong to credentials, and
// slots.md is about one process.
Status StoredHosts::CheckClock(const ModelConfiguration& configuration) const {
  if (!configuration.slots || !store_->shared()) return Ok();
  return InvalidArgument(
      "the clock slots is not available with --engine: whether somebody came "
      "is proved to be hidden only where one process takes all requests");
}

Result<ModelFile> StoredHosts::CheckNew(const Json& json) const {
  SOTTO_TRY_ASSIGN(auto configuration, ModelConfiguration::Parse(json));
  if (Find(configuration.name) != nullptr) {
    return FailedPrecondition("a model '" + configuration.name +
                              "' exists already");
  }
  SOTTO_TRY(CheckClock(configuration));
  SOTTO_TRY_ASSIGN(const auto guarantee, ServedModel::Check(configuration));
  return ModelFile{std::move(configuration), guarantee.epsilon(),
                   guarantee.delta()};
}

Status StoredHosts::Check(const Json& configuration) const {
  SOTTO_TRY_ASSIGN(const auto model, CheckNew(configuration));
  return CheckLimit(model);
}

Status StoredHosts::CheckLimit(const ModelFile& model) const {
  const std::string& population = model.configuration.population;
  const Json* const limit = population.empty() ? nullptr : Limit(population);
  if (limit == nullptr) return Ok();
  if (!damaged_.empty()) {
    return FailedPrecondition("what '" + damaged_.front() +
                              "' costs its population is not known: its "
                              "model.json is damaged");
  }
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

// Before the model exists: a charge may stand without a model, never a model
// without its charge.
Status StoredHosts::ChargeBudget(const ModelFile& model) const {
  if (options_.budget.empty()) return Ok();
  SOTTO_TRY_ASSIGN(const auto guarantee,
                   ServedModel::Check(model.configuration));
  SOTTO_TRY(BudgetFile::Spend(options_.budget, guarantee,
                              {.command = "serve " + model.configuration.name,
                               .group = options_.budget_group},
                              *options_.files));
  return Ok();
}

Result<Host*> StoredHosts::Create(const Json& configuration) {
  const std::lock_guard lock(create_mutex_);
  // Models of other processes count, too, and are charged once.
  SOTTO_TRY_ASSIGN(const auto held, store_->HoldCreation());
  if (store_->shared()) SOTTO_TRY(StartNew());
  SOTTO_TRY_ASSIGN(const auto model, CheckNew(configuration));
  SOTTO_TRY(CheckLimit(model));
  SOTTO_TRY(ChargeBudget(model));
  const std::string& name = model.configuration.name;
  SOTTO_TRY(store_->Add(model));
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

Host* StoredHosts::Find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto host = hosts_.find(name);
  return host == hosts_.end() ? nullptr : host->second.get();
}

std::vector<Host*> StoredHosts::hosts() const {
  const std::lock_guard lock(mutex_);
  std::vector<Host*> hosts;
  for (const auto& [name, host] : hosts_) hosts.push_back(host.get());
  return hosts;
}

bool StoredHosts::ready() const {
  for (const Host* host : hosts()) {
    const auto condition = host->condition();
    if (!condition.ready() && condition.state != Host::State::kHalted) {
      return false;
    }
  }
  return true;
}

// Retired models were used on the same people and count.
Result<std::map<std::string, Total>> StoredHosts::Totals() const {
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
  SOTTO_TRY_ASSIGN(const auto retired, store_->ListRetired());
  for (const ModelStore::Entry& entry : retired) {
    SOTTO_TRY(entry.file);
    add("retired " + entry.name, *entry.file);
  }
  return totals;
}

Json StoredHosts::Populations() const {
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

void StoredHosts::DrainAll() {
  for (Host* host : hosts()) host->Drain();
}

// A new key would open none of the models that other processes made.
Status CheckKeyOfStore(const HostSetOptions& options,
                       const ServiceFolder& folder) {
  if (!options.store) return Ok();
  SOTTO_TRY_ASSIGN(const auto key, options.files->Look(folder.key));
  if (key) return Ok();
  SOTTO_TRY_ASSIGN(const auto models, options.store({})->List());
  if (models.empty()) return Ok();
  return FailedPrecondition("the key file " + folder.key +
                            " is missing. Copy the one that the models of the "
                            "database were made with");
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
  SOTTO_TRY(CheckKeyOfStore(options, folder));
  SOTTO_TRY_ASSIGN(const auto root, OpenServiceKey(folder, files));
  std::shared_ptr<ModelStore> store =
      options.store ? options.store({root})
                    : MakeFolderStore({.folder = std::move(folder),
                                       .roots = {root},
                                       .segment_bytes = options.segment_bytes,
                                       .files = options.files});
  auto hosts =
      std::make_unique<StoredHosts>(std::move(options), std::move(store), root);
  SOTTO_TRY(hosts->OpenAll());
  return std::unique_ptr<HostSet>(std::move(hosts));
}

}  // namespace sotto
