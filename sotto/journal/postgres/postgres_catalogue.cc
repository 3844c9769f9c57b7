#include "sotto/journal/postgres/postgres_catalogue.h"

#include <sodium.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string_view>

#include "sotto/journal/sealed_record.h"

namespace sotto {
namespace {

constexpr std::string_view kNameTaken = "23505";
constexpr const char* kListModels =
    "SELECT name, model.lineage, file, retired::text, term, holder, address,"
    " tail, extract(epoch FROM clock_timestamp() - renewed)::float8"
    " FROM sotto.model JOIN sotto.writer USING (lineage) ORDER BY name";
constexpr const char* kAddModel =
    "WITH model AS (INSERT INTO sotto.model (name, lineage, file)"
    " VALUES ($1, $2, $3))"
    " INSERT INTO sotto.writer (lineage, term, holder, address, tail, head,"
    " renewed) VALUES ($2, $4, '', '', $5, $6, clock_timestamp())";

constexpr const char* kRetire =
    "UPDATE sotto.model SET retired = true, name = name || ' ' ||"
    " encode(lineage, 'hex') WHERE lineage = $1";
constexpr const char* kRemoveModel =
    "WITH a AS (DELETE FROM sotto.model WHERE lineage = $1),"
    " b AS (DELETE FROM sotto.writer WHERE lineage = $1),"
    " c AS (DELETE FROM sotto.snapshot WHERE lineage = $1)"
    " DELETE FROM sotto.journal WHERE lineage = $1";
constexpr const char* kReadLast =
    "SELECT block FROM sotto.journal WHERE lineage = $1"
    " ORDER BY last DESC LIMIT 1";
constexpr const char* kAddPart =
    "INSERT INTO sotto.snapshot (lineage, stands_on, head, part, bytes)"
    " VALUES ($1, $2, $3, $4, $5)";
constexpr std::size_t kPartBytes = std::size_t{8} << 20;

}  // namespace

Result<std::vector<CataloguedModel>> ListModels(PostgresConnection& session) {
  SOTTO_TRY_ASSIGN(const auto rows, session.Query(kListModels));
  std::vector<CataloguedModel> models;
  for (const auto& row : rows) {
    models.push_back({.name = row[0],
                      .lineage = AsArray<16>(row[1]),
                      .file = row[2],
                      .retired = row[3] == "true",
                      .term = ReadSqlNumber(row[4]),
                      .holder = row[5],
                      .address = row[6],
                      .tail = ReadSqlNumber(row[7]),
                      .seconds_since_renewed =
                          std::bit_cast<double>(ReadSqlNumber(row[8]))});
  }
  return models;
}

Result<Lineage> AddModel(PostgresConnection& session, const std::string& name,
                         const std::string& file) {
  Lineage lineage;
  randombytes_buf(lineage.data(), lineage.size());
  SOTTO_TRY(
      AddModelAt(session, name, file, lineage, 0, {0, GenesisHash(lineage)}));
  return lineage;
}

Status AddModelAt(PostgresConnection& session, const std::string& name,
                  const std::string& file, const Lineage& lineage,
                  std::uint64_t term, const Position& position) {
  const SqlAnswer answer = session.Execute(
      kAddModel, {{SqlText(name), SqlBytes(AsText(lineage)), SqlText(file),
                   SqlNumber(term), SqlNumber(position.tail),
                   SqlBytes(AsText(position.head))}});
  if (answer.done()) return Ok();
  if (answer.state == kNameTaken) {
    return FailedPrecondition("a model '" + name +
                              "' is in the database already");
  }
  return Unavailable(answer.why);
}

Result<CataloguedModel> FindModel(PostgresConnection& session,
                                  const std::string& name) {
  SOTTO_TRY_ASSIGN(const auto models, ListModels(session));
  for (const CataloguedModel& model : models) {
    if (model.name == name && !model.retired) return model;
  }
  return InvalidArgument("no model '" + name + "' is in the database");
}

Status RetireModel(PostgresConnection& session, const CataloguedModel& model) {
  SOTTO_TRY(session.Query("BEGIN"));
  const auto change = [&]() -> Status {
    SOTTO_TRY(session.Query(kRetire, {{SqlBytes(AsText(model.lineage))}}));
    SOTTO_TRY(AddModel(session, model.name, model.file));
    SOTTO_TRY(session.Query("COMMIT"));
    return Ok();
  };
  const Status changed = change();
  if (!changed) static_cast<void>(session.Execute("ROLLBACK"));
  return changed;
}

Status RemoveModel(PostgresConnection& session, const Lineage& lineage) {
  SOTTO_TRY(session.Query(kRemoveModel, {{SqlBytes(AsText(lineage))}}));
  return Ok();
}

Result<std::string> ReadLastBlock(PostgresConnection& session,
                                  const Lineage& lineage) {
  SOTTO_TRY_ASSIGN(const auto rows,
                   session.Query(kReadLast, {{SqlBytes(AsText(lineage))}}));
  if (rows.empty()) return FailedPrecondition("no block is left");
  return rows[0][0];
}

Status InsertSnapshotBytes(PostgresConnection& session, const Lineage& lineage,
                           const Position& position, std::string_view bytes) {
  for (std::uint64_t part = 0; !bytes.empty(); ++part) {
    SOTTO_TRY(session.Query(
        kAddPart, {{SqlBytes(AsText(lineage)), SqlNumber(position.tail),
                    SqlBytes(AsText(position.head)), SqlNumber(part),
                    SqlBytes(bytes.substr(0, kPartBytes))}}));
    bytes.remove_prefix(std::min(kPartBytes, bytes.size()));
  }
  return Ok();
}

}  // namespace sotto
