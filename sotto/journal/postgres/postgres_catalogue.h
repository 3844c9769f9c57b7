#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/journal/journal.h"
#include "sotto/journal/postgres/postgres_connection.h"

namespace sotto {

// A model in the database: its public file and the end of its journal.
struct CataloguedModel {
  std::string name;
  Lineage lineage{};
  std::string file;      // as model.json of a folder
  bool retired = false;  // it was rolled back and is not used any more
  std::uint64_t term = 0;
  std::string holder{};
  std::string address{};
  std::uint64_t tail = 0;
  double seconds_since_renewed = 0;
};

// All models, by name, retired ones included. Fails with kUnavailable.
Result<std::vector<CataloguedModel>> ListModels(PostgresConnection& session);
// The model of that name. Fails with kInvalidArgument if there is none.
Result<CataloguedModel> FindModel(PostgresConnection& session,
                                  const std::string& name);

// Adds a model with an empty journal of a new lineage, or with one that
// continues at a position. Fails with kFailedPrecondition if the name is taken.
Result<Lineage> AddModel(PostgresConnection& session, const std::string& name,
                         const std::string& file);
Status AddModelAt(PostgresConnection& session, const std::string& name,
                  const std::string& file, const Lineage& lineage,
                  std::uint64_t term, const Position& position);
// Retires a model and adds a fresh one of the same file, in one transaction.
// The old journal stays, under another name. The role of the session must own
// the tables.
Status RetireModel(PostgresConnection& session, const CataloguedModel& model);
// Removes a model and all of its journal, in one transaction. The role of the
// session must own the tables.
Status RemoveModel(PostgresConnection& session, const Lineage& lineage);

// Sealed bytes of the last block. Fails with kFailedPrecondition if none is
// left.
Result<std::string> ReadLastBlock(PostgresConnection& session,
                                  const Lineage& lineage);
// Adds the sealed bytes of a snapshot. Call it inside of a transaction.
Status InsertSnapshotBytes(PostgresConnection& session, const Lineage& lineage,
                           const Position& position, std::string_view bytes);

}  // namespace sotto
