#include "sotto/service/engine/engine_store.h"

#include <mutex>
#include <optional>
#include <utility>

#include "sotto/journal/postgres/engine_schema.h"
#include "sotto/journal/postgres/postgres_catalogue.h"
#include "sotto/journal/postgres/postgres_connection.h"
#include "sotto/journal/postgres/postgres_journal.h"

namespace sotto {
namespace {

class EngineStore final : public ModelStore {
 public:
  explicit EngineStore(EngineStoreOptions options)
      : options_(std::move(options)) {}

  Result<std::vector<Entry>> List() override { return ListAll(false); }
  Result<std::vector<Entry>> ListRetired() override { return ListAll(true); }
  Status Add(const ModelFile& model) override;
  Result<OpenJournal> Open(const std::string& name) override;
  bool shared() const override { return true; }

 private:
  // A session for one call. The deadline covers what must not wait long.
  Result<PostgresConnection> Connect() const {
    SOTTO_TRY_ASSIGN(auto session,
                     PostgresConnection::Open(options_.url, options_.deadline));
    SOTTO_TRY(CheckEngineSchema(session));
    return session;
  }
  Result<std::vector<Entry>> ListAll(bool retired) const;

  const EngineStoreOptions options_;
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
  SOTTO_TRY(
      AddModel(session, model.configuration.name, EncodeModelFile(model)));
  return Ok();
}

Result<ModelStore::OpenJournal> EngineStore::Open(const std::string& name) {
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
