#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/data/files/file_system.h"
#include "sotto/journal/journal.h"
#include "sotto/random/key.h"
#include "sotto/service/model_folder.h"

namespace sotto {

// Where the models of a service are kept: their files and their journals.
//
// Threads: thread-safe, but for two calls of OpenJournal on one model.
class ModelStore {
 public:
  struct Entry {
    std::string name;
    Result<ModelFile> file;  // fails with kCorruption if it is damaged
  };
  struct OpenJournal {
    std::unique_ptr<Journal> journal;
    Json recovery{Json::Object{}};  // changes that were made to its end
  };

  ModelStore() = default;
  virtual ~ModelStore() = default;
  ModelStore(const ModelStore&) = delete;
  ModelStore& operator=(const ModelStore&) = delete;

  // All models, by name; all that were rolled back.
  virtual Result<std::vector<Entry>> List() = 0;
  virtual Result<std::vector<Entry>> ListRetired() = 0;
  // Fails with kFailedPrecondition if the name is taken.
  virtual Status Add(const ModelFile& model) = 0;
  // Becomes the writer of a model's journal, which is made if it is missing.
  // Fails with kUnavailable if another process is, where that can be.
  virtual Result<OpenJournal> Open(const std::string& name) = 0;
  // True if other processes use the store: a model may be another's for now.
  virtual bool shared() const = 0;
  // True if another process should write a model that this one writes. Then it
  // is to be let go, with a snapshot.
  virtual bool ShouldYield(const std::string& /*name*/) { return false; }
  // While the result lives, no other process adds a model. Fails with
  // kUnavailable.
  virtual Result<std::shared_ptr<void>> HoldCreation() {
    return std::shared_ptr<void>();
  }
};

struct FolderStoreOptions {
  ServiceFolder folder;
  std::vector<Key> roots;
  std::uint64_t segment_bytes = std::uint64_t{16} << 20;
  FileSystem* files = &RealFiles();
};

// Models in a folder, one process at a time.
std::unique_ptr<ModelStore> MakeFolderStore(FolderStoreOptions options);

}  // namespace sotto
