#include <algorithm>
#include <utility>

#include "sotto/journal/file_journal.h"
#include "sotto/service/model_store.h"

namespace sotto {
namespace {

Json DescribeRecovery(const FileJournal::Recovery& recovery) {
  return Json::Object{{"torn_bytes", recovery.torn_bytes},
                      {"completed_from_anchor", recovery.completed},
                      {"anchor_was_behind", recovery.anchor_was_behind}};
}

class FolderStore final : public ModelStore {
 public:
  explicit FolderStore(FolderStoreOptions options)
      : options_(std::move(options)), files_(*options_.files) {}

  Result<std::vector<Entry>> List() override;
  Result<std::vector<Entry>> ListRetired() override;
  Status Add(const ModelFile& model) override;
  Result<OpenJournal> Open(const std::string& name) override;
  bool shared() const override { return false; }

 private:
  const ServiceFolder& folder() const { return options_.folder; }

  const FolderStoreOptions options_;
  FileSystem& files_;
};

Result<std::vector<ModelStore::Entry>> FolderStore::List() {
  SOTTO_TRY_ASSIGN(const auto names, ListFolders(folder().models(), files_));
  std::vector<Entry> entries;
  for (const std::string& name : names) {
    auto file = ReadModelFile(folder().model(name), files_);
    if (!file && file.error().code == ErrorCode::kUnavailable) {
      // A creation that did not get far enough to matter.
      SOTTO_TRY_ASSIGN(const auto journal, files_.Look(folder().journal(name)));
      if (!journal) continue;
    }
    if (file && file->configuration.name != name) {
      file =
          Corruption(folder().model(name) + "/model.json is of another model");
    }
    entries.push_back({name, std::move(file)});
  }
  return entries;
}

Result<std::vector<ModelStore::Entry>> FolderStore::ListRetired() {
  SOTTO_TRY_ASSIGN(const auto names, ListFolders(folder().retired(), files_));
  std::vector<Entry> entries;
  for (const std::string& name : names) {
    entries.push_back(
        {name, ReadModelFile(folder().retired() + "/" + name, files_)});
  }
  return entries;
}

Status FolderStore::Add(const ModelFile& model) {
  const std::string path = folder().model(model.configuration.name);
  SOTTO_TRY(files_.CreateFolder(path));
  SOTTO_TRY(files_.SyncParentFolder(path));
  return WriteModelFile(path, model, files_);
}

Result<ModelStore::OpenJournal> FolderStore::Open(const std::string& name) {
  const FileJournalOptions journal{.folder = folder().journal(name),
                                   .anchor = folder().anchor(name),
                                   .roots = options_.roots,
                                   .segment_bytes = options_.segment_bytes,
                                   .files = &files_};
  SOTTO_TRY_ASSIGN(const auto there, files_.Look(journal.folder));
  bool empty = true;
  if (there) {
    SOTTO_TRY_ASSIGN(const auto names, files_.List(journal.folder));
    empty = std::ranges::none_of(
        names, [](const std::string& file) { return file != "lock"; });
  }
  SOTTO_TRY_ASSIGN(auto opened, empty ? FileJournal::Create(journal)
                                      : FileJournal::Open(journal));
  Json recovery = DescribeRecovery(opened->recovery());
  return OpenJournal{std::move(opened), std::move(recovery)};
}

}  // namespace

std::unique_ptr<ModelStore> MakeFolderStore(FolderStoreOptions options) {
  return std::make_unique<FolderStore>(std::move(options));
}

}  // namespace sotto
