#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/journal/postgres/postgres_connection.h"

namespace sotto {

// An API key in the database: its name, a keyed hash of its secret, its rights
// as JSON.
struct StoredApiKey {
  std::string name;
  std::string hash;
  std::string rights;
};

// All keys at one moment. Every change makes another version.
struct ApiKeyTable {
  std::uint64_t version = 0;
  std::vector<StoredApiKey> keys{};
};

// Makes the tables if they are missing. The role of the session must own the
// schema.
Status CreateApiKeyTables(PostgresConnection& session);
// The version alone; 0 if the tables are missing. Fails with kUnavailable.
Result<std::uint64_t> ReadApiKeyVersion(PostgresConnection& session);
Result<ApiKeyTable> ReadApiKeys(PostgresConnection& session);
// Fails with kFailedPrecondition if the name is taken, or the tables are
// missing.
Status AddApiKey(PostgresConnection& session, const StoredApiKey& key);
// Fails with kInvalidArgument if there is none of that name.
Status RemoveApiKey(PostgresConnection& session, const std::string& name);

}  // namespace sotto
