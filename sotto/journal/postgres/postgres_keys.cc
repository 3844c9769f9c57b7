#include "sotto/journal/postgres/postgres_keys.h"

#include <string_view>

namespace sotto {
namespace {

constexpr std::string_view kNameTaken = "23505";
constexpr std::string_view kNoTable = "42P01";

// Fronts check keys and make none.
constexpr const char* kStatements[] = {
    "BEGIN",
    "CREATE TABLE sotto.api_key (name text PRIMARY KEY,"
    " hash text NOT NULL UNIQUE CHECK (length(hash) = 64),"
    " rights text NOT NULL)",
    "CREATE TABLE sotto.api_key_version (version bigint NOT NULL)",
    "INSERT INTO sotto.api_key_version (version) VALUES (1)",
    "GRANT SELECT ON sotto.api_key, sotto.api_key_version"
    " TO sotto_service, sotto_front",
    "GRANT INSERT, DELETE ON sotto.api_key TO sotto_service",
    "GRANT UPDATE ON sotto.api_key_version TO sotto_service",
    "COMMIT"};
constexpr const char* kThere =
    "SELECT to_regclass('sotto.api_key_version')::text";
// Changes wait for each other at the row of the version, so versions are
// visible in their order.
constexpr const char* kAdd =
    "WITH changed AS (UPDATE sotto.api_key_version SET version = version + 1)"
    " INSERT INTO sotto.api_key (name, hash, rights) VALUES ($1, $2, $3)";
constexpr const char* kRemove =
    "WITH changed AS (UPDATE sotto.api_key_version SET version = version + 1)"
    " DELETE FROM sotto.api_key WHERE name = $1";
constexpr const char* kVersion = "SELECT version FROM sotto.api_key_version";
// One statement, one moment: a version without keys has one row.
constexpr const char* kRead =
    "SELECT version, name, hash, rights FROM sotto.api_key_version"
    " LEFT JOIN sotto.api_key ON true ORDER BY name";

Result<bool> HasTables(PostgresConnection& session) {
  SOTTO_TRY_ASSIGN(const auto rows, session.Query(kThere));
  return !rows[0][0].empty();
}

Error Refusal(const SqlAnswer& answer) {
  if (answer.state == kNoTable) {
    return FailedPrecondition(
        "the database has no table of API keys. Run 'sotto engine init URL' "
        "once more");
  }
  return Unavailable(answer.why);
}

}  // namespace

Status CreateApiKeyTables(PostgresConnection& session) {
  SOTTO_TRY_ASSIGN(const bool there, HasTables(session));
  if (there) return Ok();
  for (const char* const statement : kStatements) {
    const SqlAnswer answer = session.Execute(statement);
    if (answer.done()) continue;
    static_cast<void>(session.Execute("ROLLBACK"));
    return Unavailable("the database refused to make the table of API keys: " +
                       answer.why);
  }
  return Ok();
}

Result<std::uint64_t> ReadApiKeyVersion(PostgresConnection& session) {
  SOTTO_TRY_ASSIGN(const bool there, HasTables(session));
  if (!there) return std::uint64_t{0};
  SOTTO_TRY_ASSIGN(const auto rows, session.Query(kVersion));
  if (rows.empty()) return Unavailable("the table of API keys has no version");
  return ReadSqlNumber(rows[0][0]);
}

Result<ApiKeyTable> ReadApiKeys(PostgresConnection& session) {
  SOTTO_TRY_ASSIGN(const bool there, HasTables(session));
  if (!there) return ApiKeyTable{};
  SOTTO_TRY_ASSIGN(const auto rows, session.Query(kRead));
  if (rows.empty()) return Unavailable("the table of API keys has no version");
  ApiKeyTable table{.version = ReadSqlNumber(rows[0][0])};
  for (const auto& row : rows) {
    if (!row[1].empty()) table.keys.push_back({row[1], row[2], row[3]});
  }
  return table;
}

Status AddApiKey(PostgresConnection& session, const StoredApiKey& key) {
  const SqlAnswer answer = session.Execute(
      kAdd, {{SqlText(key.name), SqlText(key.hash), SqlText(key.rights)}});
  if (answer.done()) return Ok();
  if (answer.state == kNameTaken) {
    return FailedPrecondition("there is a key named '" + key.name + "'");
  }
  return Refusal(answer);
}

Status RemoveApiKey(PostgresConnection& session, const std::string& name) {
  const SqlAnswer answer = session.Execute(kRemove, {{SqlText(name)}});
  if (!answer.done()) return Refusal(answer);
  if (answer.changed == 1) return Ok();
  return InvalidArgument("there is no key of that name");
}

}  // namespace sotto
