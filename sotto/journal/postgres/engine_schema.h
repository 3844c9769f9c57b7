#pragma once

#include <cstdint>
#include <string>

#include "sotto/base/result.h"
#include "sotto/journal/postgres/postgres_connection.h"

namespace sotto {

// Tables and roles of journals in a database: docs/formats/engine.md.
//
// Threads: free functions.
inline constexpr std::uint64_t kEngineVersion = 1;

// Makes the schema `sotto` and the roles `sotto_service`, `sotto_prune` and
// `sotto_front`, all or nothing. Adds the tables of API keys to a schema that
// was made before there were any. Fails with kFailedPrecondition if another
// version is there, kUnavailable if the database refuses.
Status CreateEngineSchema(PostgresConnection& session);
// Fails with kFailedPrecondition if the schema is missing or another version's.
Status CheckEngineSchema(PostgresConnection& session);

}  // namespace sotto
