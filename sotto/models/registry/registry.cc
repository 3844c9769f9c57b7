#include "sotto/models/registry/registry.h"

#include "sotto/models/adapter/entries.h"
#include "sotto/models/fits/fit_table.h"

namespace sotto {
namespace {

template <typename Entry>
const Entry* Find(const std::vector<const Entry*>& entries,
                  std::string_view name) {
  for (const Entry* entry : entries) {
    if (entry->name == name) return entry;
  }
  return nullptr;
}

}  // namespace

#define SOTTO_ENTRY_ADDRESS(name) &name(),

const std::vector<const OnlineModelEntry*>& OnlineModels() {
  static const std::vector<const OnlineModelEntry*> kEntries = {
      SOTTO_ONLINE_MODELS(SOTTO_ENTRY_ADDRESS)};
  return kEntries;
}

const std::vector<const BatchModelEntry*>& BatchModels() {
  static const std::vector<const BatchModelEntry*> kEntries = [] {
    std::vector<const BatchModelEntry*> entries = FitBatchRows();
    entries.insert(entries.end(), {SOTTO_BATCH_MODELS(SOTTO_ENTRY_ADDRESS)});
    return entries;
  }();
  return kEntries;
}

#undef SOTTO_ENTRY_ADDRESS

const std::vector<const ModelFileFormat*>& PublishedModels() {
  static const std::vector<const ModelFileFormat*> kFiles = [] {
    std::vector<const ModelFileFormat*> files;
    const auto add = [&](const auto& entries) {
      for (const auto* entry : entries) {
        if (entry->file != nullptr) files.push_back(entry->file);
      }
    };
    add(OnlineModels());
    add(BatchModels());
    return files;
  }();
  return kFiles;
}

const OnlineModelEntry* FindOnlineModel(std::string_view name) {
  return Find(OnlineModels(), name);
}

const BatchModelEntry* FindBatchModel(std::string_view name) {
  return Find(BatchModels(), name);
}

const ModelFileFormat* FindPublishedModel(std::string_view name) {
  return Find(PublishedModels(), name);
}

}  // namespace sotto
