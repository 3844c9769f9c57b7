#include "sotto/journal/postgres/engine_schema.h"

#include <optional>
#include <string_view>

#include "sotto/journal/postgres/postgres_keys.h"

namespace sotto {
namespace {

// The service's role appends and reads. It may change the writer's row only,
// and delete nothing of a journal: records below a snapshot are the other
// role's. A front's role reads who writes what, and no block.
constexpr const char* kStatements[] = {
    "BEGIN",
    "CREATE SCHEMA sotto",
    "CREATE TABLE sotto.engine (version bigint NOT NULL)",
    "CREATE TABLE sotto.model (name text PRIMARY KEY,"
    " lineage bytea NOT NULL UNIQUE CHECK (length(lineage) = 16),"
    " file text NOT NULL, retired boolean NOT NULL DEFAULT false)",
    "CREATE TABLE sotto.writer (lineage bytea PRIMARY KEY"
    " CHECK (length(lineage) = 16),"
    " term bigint NOT NULL CHECK (term >= 0), holder text NOT NULL,"
    " address text NOT NULL, tail bigint NOT NULL CHECK (tail >= 0),"
    " head bytea NOT NULL CHECK (length(head) = 32),"
    " renewed timestamptz NOT NULL) WITH (fillfactor = 10)",
    "CREATE TABLE sotto.journal (lineage bytea NOT NULL, last bigint NOT NULL,"
    " first bigint NOT NULL CHECK (first <= last), term bigint NOT NULL,"
    " block bytea NOT NULL, PRIMARY KEY (lineage, last))",
    "ALTER TABLE sotto.journal ALTER COLUMN block SET STORAGE EXTERNAL",
    "CREATE TABLE sotto.snapshot (lineage bytea NOT NULL,"
    " stands_on bigint NOT NULL, head bytea NOT NULL, part bigint NOT NULL,"
    " bytes bytea NOT NULL, PRIMARY KEY (lineage, stands_on, part))",
    "ALTER TABLE sotto.snapshot ALTER COLUMN bytes SET STORAGE EXTERNAL",
    "CREATE TABLE sotto.process (holder text PRIMARY KEY,"
    " address text NOT NULL, renewed timestamptz NOT NULL)",
    "DO $$ BEGIN CREATE ROLE sotto_service;"
    " EXCEPTION WHEN duplicate_object THEN NULL; END $$",
    "DO $$ BEGIN CREATE ROLE sotto_prune;"
    " EXCEPTION WHEN duplicate_object THEN NULL; END $$",
    "DO $$ BEGIN CREATE ROLE sotto_front;"
    " EXCEPTION WHEN duplicate_object THEN NULL; END $$",
    "GRANT USAGE ON SCHEMA sotto TO sotto_service, sotto_prune, sotto_front",
    "GRANT SELECT ON ALL TABLES IN SCHEMA sotto TO sotto_service, sotto_prune",
    "GRANT INSERT ON sotto.model, sotto.journal, sotto.snapshot, sotto.writer"
    " TO sotto_service",
    "GRANT UPDATE ON sotto.writer TO sotto_service",
    "GRANT INSERT, UPDATE, DELETE ON sotto.process TO sotto_service",
    "GRANT SELECT ON sotto.engine, sotto.model, sotto.writer, sotto.process"
    " TO sotto_front",
    "GRANT DELETE ON sotto.journal, sotto.snapshot TO sotto_prune",
    "INSERT INTO sotto.engine (version) VALUES (1)",
    "COMMIT"};

// Absent: no schema.
Result<std::optional<std::uint64_t>> ReadVersion(PostgresConnection& session) {
  SOTTO_TRY_ASSIGN(const auto there,
                   session.Query("SELECT to_regclass('sotto.engine')::text"));
  if (there[0][0].empty()) return std::optional<std::uint64_t>();
  SOTTO_TRY_ASSIGN(const auto rows,
                   session.Query("SELECT max(version) FROM sotto.engine"));
  return std::optional(ReadSqlNumber(rows[0][0]));
}

Error OtherVersion(std::uint64_t version) {
  return FailedPrecondition("the schema sotto of the database has version " +
                            std::to_string(version) +
                            "; this program uses version " +
                            std::to_string(kEngineVersion));
}

}  // namespace

Status CreateEngineSchema(PostgresConnection& session) {
  SOTTO_TRY_ASSIGN(const auto version, ReadVersion(session));
  if (version == kEngineVersion) return CreateApiKeyTables(session);
  if (version) return OtherVersion(*version);
  for (const char* const statement : kStatements) {
    const SqlAnswer answer = session.Execute(statement);
    if (answer.done()) continue;
    static_cast<void>(session.Execute("ROLLBACK"));
    return Unavailable("the database refused to make the schema sotto: " +
                       answer.why);
  }
  return CreateApiKeyTables(session);
}

Status CheckEngineSchema(PostgresConnection& session) {
  SOTTO_TRY_ASSIGN(const auto version, ReadVersion(session));
  if (version == kEngineVersion) return Ok();
  if (version) return OtherVersion(*version);
  return FailedPrecondition(
      "the database has no schema sotto. Run 'sotto engine init URL'");
}

}  // namespace sotto
