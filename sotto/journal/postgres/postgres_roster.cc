#include "sotto/journal/postgres/postgres_roster.h"

namespace sotto {
namespace {

constexpr const char* kNoWait =
    "SELECT set_config('synchronous_commit', 'off', false)";
constexpr const char* kRenew =
    "INSERT INTO sotto.process (holder, address, renewed)"
    " VALUES ($1, $2, clock_timestamp()) ON CONFLICT (holder) DO UPDATE"
    " SET address = $2, renewed = clock_timestamp()";
constexpr const char* kRemove =
    "DELETE FROM sotto.process WHERE holder = $1"
    " OR renewed < clock_timestamp() - interval '1 hour'";
constexpr const char* kReadProcesses =
    "SELECT holder, address FROM sotto.process"
    " WHERE renewed > clock_timestamp() - interval '1200 milliseconds'"
    " ORDER BY holder";
// The lock of a term is a number of 64 bits, in two halves: see
// PostgresJournal.
constexpr const char* kReadWriters =
    "WITH held AS (SELECT classid::bigint AS high, objid::bigint AS low"
    " FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted"
    " AND database = (SELECT oid FROM pg_database"
    " WHERE datname = current_database())),"
    " writers AS (SELECT name, holder, address, term, ('x' || encode(substring("
    "writer.lineage for 8), 'hex'))::bit(64)::bigint # term AS lock"
    " FROM sotto.model JOIN sotto.writer USING (lineage) WHERE NOT retired)"
    " SELECT name, holder, address, term,"
    " EXISTS (SELECT 1 FROM held WHERE high = (lock >> 32 & 4294967295)"
    " AND low = (lock & 4294967295))::text,"
    " EXISTS (SELECT 1 FROM sotto.process WHERE process.holder = writers.holder"
    " AND renewed > clock_timestamp() - interval '1200 milliseconds')::text"
    " FROM writers ORDER BY name";

}  // namespace

Status RenewProcess(PostgresConnection& session, const std::string& holder,
                    const std::string& address) {
  SOTTO_TRY(session.Query(kRenew, {{SqlText(holder), SqlText(address)}}));
  return Ok();
}

Status RemoveProcess(PostgresConnection& session, const std::string& holder) {
  SOTTO_TRY(session.Query(kNoWait));
  SOTTO_TRY(session.Query(kRemove, {{SqlText(holder)}}));
  return Ok();
}

Result<EngineRoll> ReadRoll(PostgresConnection& session) {
  EngineRoll roll;
  SOTTO_TRY_ASSIGN(const auto processes, session.Query(kReadProcesses));
  for (const auto& row : processes) roll.processes.push_back({row[0], row[1]});
  SOTTO_TRY_ASSIGN(const auto writers, session.Query(kReadWriters));
  for (const auto& row : writers) {
    roll.writers.push_back({.model = row[0],
                            .holder = row[1],
                            .address = row[2],
                            .term = ReadSqlNumber(row[3]),
                            .locked = row[4] == "true",
                            .alive = row[5] == "true"});
  }
  return roll;
}

}  // namespace sotto
