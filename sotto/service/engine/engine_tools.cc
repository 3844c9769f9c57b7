#include "sotto/service/engine/engine_tools.h"

#include <chrono>
#include <utility>
#include <vector>

#include "sotto/journal/postgres/engine_schema.h"
#include "sotto/journal/postgres/postgres_catalogue.h"
#include "sotto/journal/postgres/postgres_connection.h"
#include "sotto/journal/postgres/postgres_journal.h"
#include "sotto/journal/sealed_record.h"

namespace sotto {
namespace {

constexpr std::chrono::seconds kDeadline{30};
constexpr const char* kSizes =
    "SELECT count(*), coalesce(sum(last - first + 1), 0)::bigint,"
    " coalesce(sum(length(block)), 0)::bigint FROM sotto.journal"
    " WHERE lineage = $1";
constexpr const char* kNewest =
    "SELECT max(stands_on) FROM sotto.snapshot WHERE lineage = $1";

Result<PostgresConnection> Connect(const std::string& url) {
  SOTTO_TRY_ASSIGN(auto session, PostgresConnection::Open(url, kDeadline));
  SOTTO_TRY(CheckEngineSchema(session));
  return session;
}

Result<Json> Describe(PostgresConnection& session,
                      const CataloguedModel& model) {
  const SqlParameter lineage = SqlBytes(AsText(model.lineage));
  SOTTO_TRY_ASSIGN(const auto sizes, session.Query(kSizes, {{lineage}}));
  SOTTO_TRY_ASSIGN(const auto newest, session.Query(kNewest, {{lineage}}));
  return Json(Json::Object{
      {"name", model.name},
      {"retired", model.retired},
      {"records", model.tail},
      {"kept_records", ReadSqlNumber(sizes[0][1])},
      {"bytes", ReadSqlNumber(sizes[0][2])},
      {"snapshot",
       newest[0][0].empty() ? Json() : Json(ReadSqlNumber(newest[0][0]))},
      {"term", model.term},
      {"holder", model.holder},
      {"address", model.address},
      {"seconds_since_append", model.seconds_since_renewed}});
}

}  // namespace

Result<Json> InitEngine(const std::string& url) {
  SOTTO_TRY_ASSIGN(auto session, PostgresConnection::Open(url, kDeadline));
  SOTTO_TRY(CreateEngineSchema(session));
  return Json(Json::Object{{"version", kEngineVersion}});
}

Result<Json> ShowEngine(const std::string& url) {
  SOTTO_TRY_ASSIGN(auto session, Connect(url));
  SOTTO_TRY_ASSIGN(const auto models, ListModels(session));
  Json::Array entries;
  for (const CataloguedModel& model : models) {
    SOTTO_TRY_ASSIGN(auto entry, Describe(session, model));
    entries.push_back(std::move(entry));
  }
  return Json(Json::Object{{"models", std::move(entries)}});
}

Result<Json> PruneEngine(const std::string& url, const ServiceFolder& folder,
                         FileSystem& files) {
  SOTTO_TRY_ASSIGN(auto session, Connect(url));
  SOTTO_TRY_ASSIGN(const auto root, ReadKeyFile(folder.key, files));
  SOTTO_TRY_ASSIGN(const auto models, ListModels(session));
  Json::Array entries;
  for (const CataloguedModel& model : models) {
    SOTTO_TRY_ASSIGN(const auto below,
                     PruneBelowSnapshot(session, model.lineage, {root}));
    entries.push_back(
        Json::Object{{"name", model.name},
                     {"deleted_below", below ? Json(*below) : Json()}});
  }
  return Json(Json::Object{{"models", std::move(entries)}});
}

}  // namespace sotto
