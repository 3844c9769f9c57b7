#pragma once

#include <string>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/data/files/file_system.h"
#include "sotto/service/model_folder.h"

namespace sotto {

// Tools for the operator of journals in PostgreSQL: docs/how-to/postgresql.md.
// Each returns a report. Fails with kUnavailable if the database does not
// answer.
//
// Threads: one call at a time.

// Makes schema and roles.
Result<Json> InitEngine(const std::string& url);
// {"models":[{"name","retired","records","kept_records","bytes","snapshot",
// "term","holder","address","seconds_since_append"}]}.
Result<Json> ShowEngine(const std::string& url);
// Moves the models of a folder, whose service is not running, into the
// database: each is replayed, a snapshot is taken at its end, and snapshot and
// end move. The folder goes to DIR/moved. Can be repeated after an
// interruption.
Result<Json> MoveToEngine(const std::string& url, const ServiceFolder& folder,
                          FileSystem& files = RealFiles());
// Moves one model, whose writers have ended, into a folder in the same way. Can
// be repeated after an interruption.
Result<Json> MoveToFolder(const std::string& url, const ServiceFolder& folder,
                          const std::string& model,
                          FileSystem& files = RealFiles());
// Retires a model whose records were lost. A fresh model of the same
// configuration takes its name; both count: their epsilons and deltas add.
Result<Json> DeclareEngineRollback(const std::string& url,
                                   const std::string& model);
// Deletes the records and snapshots of every model below its newest snapshot,
// which is opened first. The folder holds the key.
Result<Json> PruneEngine(const std::string& url, const ServiceFolder& folder,
                         FileSystem& files = RealFiles());

}  // namespace sotto
