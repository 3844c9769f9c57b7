#pragma once

#include <string>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/data/files/file_system.h"
#include "sotto/service/model_folder.h"

namespace sotto {

// Tools for the operator of a service that is not running:
// docs/how-to/operate.md. Each returns a report with one entry for each model,
// {"models":[{"name",..}]}; a running service makes them fail with
// kFailedPrecondition.
//
// Threads: one call at a time.

// Reads everything: chain, seals, snapshot, and a replay that must give the
// replies that were sent. "good" is false, with a "reason", for a model that
// would be frozen. Changes at most a torn end.
Result<Json> VerifyJournals(const ServiceFolder& folder,
                            FileSystem& files = RealFiles());
// Positions, terms, snapshots and how many records of each type there are.
Result<Json> ShowJournals(const ServiceFolder& folder,
                          FileSystem& files = RealFiles());
// Takes a snapshot of every model and deletes the records before it.
Result<Json> CompactJournals(const ServiceFolder& folder,
                             FileSystem& files = RealFiles());
// Makes a new key file and continues every model under it. The old file is kept
// beside it, as KEY.old-N. Can be repeated after an interruption.
Result<Json> RotateServiceKey(const ServiceFolder& folder,
                              FileSystem& files = RealFiles());
// Retires a model whose records were lost: its folder goes to DIR/retired, and
// a fresh model of the same configuration takes its name when the service
// starts. Both count: their epsilons and deltas add.
Result<Json> DeclareRollback(const ServiceFolder& folder,
                             const std::string& model,
                             FileSystem& files = RealFiles());

}  // namespace sotto
