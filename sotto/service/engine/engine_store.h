#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "sotto/data/files/file_system.h"
#include "sotto/journal/journal.h"
#include "sotto/random/key.h"
#include "sotto/service/engine/engine_roster.h"
#include "sotto/service/model_folder.h"
#include "sotto/service/model_store.h"

namespace sotto {

struct EngineStoreOptions {
  std::string url;
  ServiceFolder folder;  // anchors of this host
  std::vector<Key> roots;
  std::string holder{};   // this process, for operators
  std::string address{};  // where other processes reach it
  // Tells whose turn it is to write a model; outlives the store. Null: the
  // first to come writes it.
  EngineRoster* roster = nullptr;
  std::chrono::milliseconds deadline{5'000};
  FileSystem* files = &RealFiles();
};

// Models in a PostgreSQL database that many processes use.
std::unique_ptr<ModelStore> MakeEngineStore(EngineStoreOptions options);

// The anchor of a lineage on this host. Lineages do not share one: a model that
// was rolled back keeps its name.
std::string EngineAnchor(const ServiceFolder& folder, const std::string& name,
                         const Lineage& lineage);

}  // namespace sotto
