#include "sotto/service/engine/engine_store.h"

#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "sotto/journal/postgres/engine_schema.h"
#include "sotto/journal/postgres/postgres_catalogue.h"
#include "sotto/journal/postgres/postgres_connection.h"
#include "sotto/journal/postgres/postgres_journal.h"

namespace sotto {
namespace {

// Two numbers, so that it is never the lock of a writer, which is one.
constexpr const char* kHoldCreation = "SELECT pg_advisory_lock(7366, 1)::text";

class EngineStore final : public ModelStore {
 public:
  explicit EngineStore(EngineStoreOptions options)
      : options_(std::move(options)) {}

  Result<std::vector<Entry>> List() override { return ListAll(false); }
  Result<std::vector<Entry>> ListRetired() override { return ListAll(true); }
  Status Add(const ModelFile& model) override;
  Result<OpenJournal> Open(const std::string& name) override;
  bool shared() const override { return true; }
  bool ShouldYield(const std::string& name) override {
    return options_.roster != nullptr && options_.roster->ShouldYield(name);
  }
  Result<std::shared_ptr<void>> HoldCreation() override;

 private:
  // A session for one call. The deadline covers what must not wait long.
  Result<PostgresConnection> Connect() const {
    SOTTO_TRY_ASSIGN(auto session,
                     PostgresConnection::Open(options_.url, options_.deadline));
    SOTTO_TRY(CheckEngineSchema(session));
    return session;
  }
  Result<std::vector<Entry>> ListAll(bool retired) const;
  EngineRoster::Turn FindTurn(const std::string& name);

  const EngineStoreOptions options_;
  std::mutex mutex_;
  std::set<std::string> made_;  // by this process
};

Result<std::vector<ModelStore::Entry>> EngineStore::ListAll(
    bool retired) const {
  SOTTO_TRY_ASSIGN(auto session, Connect());
  SOTTO_TRY_ASSIGN(const auto models, ListModels(session));
  std::vector<Entry> entries;
  for (const CataloguedModel& model : models) {
    if (model.retired != retired) continue;
    entries.push_back(
        {model.name,
         ParseModelFile(model.file, "the file of '" + model.name + "'")});
  }
  return entries;
}

Status EngineStore::Add(const ModelFile& model) {
  SOTTO_TRY_ASSIGN(auto session, Connect());
  const std::string& name = model.configuration.name;
  SOTTO_TRY(AddModel(session, name, EncodeModelFile(model)));
  const std::lock_guard lock(mutex_);
  made_.insert(name);
  return Ok();
}

// The lock ends with its session.
Result<std::shared_ptr<void>> EngineStore::HoldCreation() {
  SOTTO_TRY_ASSIGN(auto opened, Connect());
  auto session = std::make_shared<PostgresConnection>(std::move(opened));
  if (!session->Query(kHoldCreation)) {
    return Unavailable("another process makes a model. Try again");
  }
  return std::shared_ptr<void>(std::move(session));
}

// A model belongs to the process that made it until it has a writer.
EngineRoster::Turn EngineStore::FindTurn(const std::string& name) {
  if (options_.roster == nullptr) return EngineRoster::Turn::kTake;
  const std::lock_guard lock(mutex_);
  if (made_.contains(name) && !options_.roster->FindWriter(name)) {
    return EngineRoster::Turn::kTake;
  }
  return options_.roster->FindTurn(name);
}

Result<ModelStore::OpenJournal> EngineStore::Open(const std::string& name) {
  using Turn = EngineRoster::Turn;
  const Turn turn = FindTurn(name);
  if (turn == Turn::kWait) {
    return Unavailable("another process writes this journal, or will");
  }
  SOTTO_TRY_ASSIGN(auto session, Connect());
  SOTTO_TRY_ASSIGN(const auto model, FindModel(session, name));
  SOTTO_TRY_ASSIGN(
      auto journal,
      PostgresJournal::Open(
          {.url = options_.url,
           .lineage = model.lineage,
           .anchor = EngineAnchor(options_.folder, name, model.lineage),
           .roots = options_.roots,
           .holder = options_.holder,
           .address = options_.address,
           .deadline = options_.deadline,
           .take_over = turn == Turn::kForce,
           .files = options_.files}));
  return OpenJournal{.journal = std::move(journal)};
}

}  // namespace

std::unique_ptr<ModelStore> MakeEngineStore(EngineStoreOptions options) {
  return std::make_unique<EngineStore>(std::move(options));
}

std::string EngineAnchor(const ServiceFolder& folder, const std::string& name,
                         const Lineage& lineage) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::size_t kBytes = 8;
  std::string path = folder.anchor(name) + "-";
  for (std::size_t i = 0; i < kBytes; ++i) {
    path += kHex[lineage[i] >> 4];
    path += kHex[lineage[i] & 15];
  }
  return path;
}

}  // namespace sotto
