#include "sotto/models/registry/registry.h"

#include "sotto/models/adapter/entries.h"
#include "sotto/models/fits/fit_table.h"
#include "sotto/models/fits/greedy_cover/greedy_cover_entry.h"
#include "sotto/models/fits/greedy_cover/published_cover.h"
#include "sotto/models/fits/published_fit.h"

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

// Formats of the fits: they all publish the same kind of file.
const std::vector<ModelFileFormat>& FitFiles() {
  static const std::vector<ModelFileFormat> kFiles = [] {
    std::vector<ModelFileFormat> files;
    for (const BatchModelEntry* fit : FitBatchRows()) {
      files.push_back({.name = fit->name, .show = ShowFit, .read = ReadFit});
    }
    return files;
  }();
  return kFiles;
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
    std::vector<const BatchModelEntry*> entries = {&GreedyCoverEntry()};
    const auto& fits = FitBatchRows();
    entries.insert(entries.end(), fits.begin(), fits.end());
    entries.insert(entries.end(), {SOTTO_BATCH_MODELS(SOTTO_ENTRY_ADDRESS)});
    return entries;
  }();
  return kEntries;
}

#undef SOTTO_ENTRY_ADDRESS

const std::vector<const ModelFileFormat*>& PublishedModels() {
  static const std::vector<const ModelFileFormat*> kFiles = [] {
    std::vector<const ModelFileFormat*> files = {&PublishedCover()};
    const auto add = [&](const auto& entries) {
      for (const auto* entry : entries) {
        if (entry->file != nullptr) files.push_back(entry->file);
      }
    };
    add(OnlineModels());
    add(BatchModels());
    for (const ModelFileFormat& file : FitFiles()) files.push_back(&file);
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
