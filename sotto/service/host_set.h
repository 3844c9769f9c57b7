#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/data/files/file_system.h"
#include "sotto/random/key.h"
#include "sotto/service/host.h"
#include "sotto/service/model_store.h"

namespace sotto {

struct HostSetOptions {
  std::string folder;    // DIR: one folder for each model below DIR/models
  std::string anchor{};  // default: DIR/anchors
  std::string key{};     // key file; default: DIR/sotto.key, made if missing
  // Records from one snapshot to the next.
  std::uint64_t snapshot_every = 1'000'000;
  std::uint64_t segment_bytes = std::uint64_t{16} << 20;  // of a journal
  bool snapshot_at_end = true;         // of each model, when it is drained
  std::size_t most_waiting = 1 << 16;  // requests in the queue of one model
  // Limits of populations: {"people":{"epsilon":3,"delta":1e-5}}.
  Json populations{Json::Object{}};
  // For tests: ModelHostOptions::groups_by_hand and places.
  bool groups_by_hand = false;
  std::optional<Key> places{};
  // Makes the store of the models for the roots of the key file. Absent: the
  // folder.
  std::function<std::shared_ptr<ModelStore>(std::vector<Key>)> store{};
  // Record (sotto budget) that is charged for each new model; empty: none.
  std::string budget{};
  std::string budget_group{};
  FileSystem* files = &RealFiles();
};

// All models of a service, each a Host with its own thread: none waits for
// another.
//
//   auto set = HostSet::Open({.folder = dir});
//   auto host = (*set)->Create(*Json::Parse(
//       R"({"name":"life","model":"tide","epsilon":1,"delta":1e-6,
//           "horizon":100000,"schema":{"columns":[..]}})"));
//   Host* same = (*set)->Find("life");
//
// Threads: thread-safe.
class HostSet {
 public:
  // Starts every model that is in the folder. Returns while they read their
  // journals. Fails with kUnavailable or kFailedPrecondition if folder or key
  // cannot be used; a model that cannot be started is there, frozen.
  static Result<std::unique_ptr<HostSet>> Open(HostSetOptions options);
  virtual ~HostSet() = default;

  // Checks a configuration as Create does, without making anything.
  virtual Status Check(const Json& configuration) const = 0;
  // Makes a model. `configuration`: "name", "model" (a model of the registry,
  // or "count", "monitor"), the options of `sotto run MODEL` by their names,
  // "schema" (an object, or the path of a file), "train" (a path),
  // "population" (a name). Fails with kInvalidArgument, kBudgetExhausted if
  // the limit of the population or of the budget would be passed,
  // kFailedPrecondition if the name is taken. Returns when the model is ready
  // and durable.
  virtual Result<Host*> Create(const Json& configuration) = 0;

  // Hosts live as long as the set. Null: none of that name.
  virtual Host* Find(std::string_view name) const = 0;
  // True if there may be a model of that name though Find knows none: another
  // process may have made it.
  virtual bool MayExist(std::string_view /*name*/) const { return false; }
  virtual std::vector<Host*> hosts() const = 0;  // by name
  // True if every model is ready.
  virtual bool ready() const = 0;
  // {"people":{"epsilon","delta","models":[..],"limit":{..}|null}}: sums over
  // the models of a population, retired ones included.
  virtual Json Populations() const = 0;
  // Seals what the operator's view keeps on disk. Another one after the key
  // file was rotated.
  virtual Key history_key() const = 0;
  // Drains all models.
  virtual void Drain() = 0;
};

}  // namespace sotto
