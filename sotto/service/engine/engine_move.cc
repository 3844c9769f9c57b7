#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "sotto/durable/journaled.h"
#include "sotto/journal/anchor.h"
#include "sotto/journal/file_journal.h"
#include "sotto/journal/journal_scan.h"
#include "sotto/journal/postgres/engine_schema.h"
#include "sotto/journal/postgres/postgres_catalogue.h"
#include "sotto/journal/postgres/postgres_connection.h"
#include "sotto/journal/postgres/postgres_journal.h"
#include "sotto/journal/sealed_record.h"
#include "sotto/journal/segment.h"
#include "sotto/service/engine/engine_store.h"
#include "sotto/service/engine/engine_tools.h"
#include "sotto/service/journal_tools.h"
#include "sotto/service/model_machine.h"

namespace sotto {
namespace {

constexpr std::chrono::seconds kDeadline{60};
constexpr std::uint64_t kMostFileBytes = std::uint64_t{1} << 34;

// A journal that ends in a snapshot: all that has to move.
struct JournalEnd {
  Lineage lineage{};
  Position position;
  std::uint64_t term = 0;
  std::string snapshot;  // sealed bytes
};

Status MoveFolder(const std::string& from, const std::string& to,
                  FileSystem& files) {
  std::error_code failed;
  std::filesystem::rename(from, to, failed);
  if (failed) return Unavailable(from + ": " + failed.message());
  SOTTO_TRY(files.SyncParentFolder(to));
  return files.SyncParentFolder(from);
}

Result<JournalEnd> ReadFolderEnd(const std::string& journal,
                                 FileSystem& files) {
  SOTTO_TRY_ASSIGN(const auto scan, ScanJournal(journal, files));
  if (scan.names.snapshots.empty() ||
      scan.names.snapshots.back() != scan.position.tail) {
    return FailedPrecondition("the journal in " + journal +
                              " does not end in a snapshot");
  }
  SOTTO_TRY_ASSIGN(
      auto snapshot,
      files.Read(SnapshotPath(journal, scan.position.tail), kMostFileBytes));
  return JournalEnd{scan.lineage, scan.position, scan.term,
                    std::move(snapshot)};
}

// One transaction: the model is in the database whole, or not at all.
Status InsertModel(PostgresConnection& session, const std::string& name,
                   const std::string& file, const JournalEnd& end) {
  SOTTO_TRY(session.Query("BEGIN"));
  Status inserted =
      AddModelAt(session, name, file, end.lineage, end.term, end.position);
  if (inserted) {
    inserted =
        InsertSnapshotBytes(session, end.lineage, end.position, end.snapshot);
  }
  if (!inserted) {
    static_cast<void>(session.Execute("ROLLBACK"));
    return inserted;
  }
  SOTTO_TRY(session.Query("COMMIT"));
  return Ok();
}

// True if an earlier attempt came this far.
Result<bool> IsInDatabase(PostgresConnection& session, const std::string& name,
                          const JournalEnd& end) {
  SOTTO_TRY_ASSIGN(const auto models, ListModels(session));
  for (const CataloguedModel& model : models) {
    if (model.name != name) continue;
    if (model.lineage == end.lineage) return true;
    return FailedPrecondition("another model '" + name +
                              "' is in the database already");
  }
  return false;
}

Status MoveOneToEngine(PostgresConnection& session, const ServiceFolder& folder,
                       const std::string& name, FileSystem& files) {
  const std::string moving = folder.folder + "/moving/" + name;
  SOTTO_TRY_ASSIGN(const auto text,
                   files.Read(moving + "/model.json", kMostFileBytes));
  SOTTO_TRY_ASSIGN(const auto end, ReadFolderEnd(moving + "/journal", files));
  SOTTO_TRY_ASSIGN(const bool there, IsInDatabase(session, name, end));
  if (!there) SOTTO_TRY(InsertModel(session, name, text, end));
  SOTTO_TRY_ASSIGN(const auto anchor, files.Look(folder.anchor(name)));
  if (anchor) {
    // One of an earlier time in the database is older, unless the database has
    // the model already: then it may know of later records, and it stays.
    const std::string to = EngineAnchor(folder, name, end.lineage);
    std::error_code ignored;  // the move fails then
    if (!there) std::filesystem::remove_all(to, ignored);
    SOTTO_TRY(MoveFolder(folder.anchor(name), to, files));
  }
  SOTTO_TRY(files.CreateFolder(folder.folder + "/moved"));
  std::string behind = folder.folder + "/moved/" + name;
  SOTTO_TRY_ASSIGN(const auto earlier, files.Look(behind));
  if (earlier) behind += "." + std::to_string(end.position.tail);
  return MoveFolder(moving, behind, files);
}

// The state at the end, as a snapshot of the database.
Status SnapshotAtEnd(PostgresJournalOptions options) {
  const std::vector<Key> roots = options.roots;
  SOTTO_TRY_ASSIGN(auto journal, PostgresJournal::Open(std::move(options)));
  ModelMachine machine(roots, journal->lineage());
  SOTTO_TRY_ASSIGN(const auto snapshot, journal->ReadSnapshot());
  std::uint64_t after = 0;
  if (snapshot) {
    SOTTO_TRY(machine.Load(snapshot->state));
    after = snapshot->position.tail;
  }
  SOTTO_TRY_ASSIGN(auto journaled,
                   Journaled::Resume(std::move(journal), machine, after,
                                     {.holder = "sotto engine migrate"}));
  if (machine.model() == nullptr) {
    return FailedPrecondition("the model was never completed");
  }
  SOTTO_TRY_ASSIGN(const auto state, machine.Save());
  return journaled->WriteSnapshot(state, false);
}

// The folder of a journal whose one segment holds its last block.
Status WriteJournalFolder(PostgresConnection& session,
                          const CataloguedModel& model,
                          const ServiceFolder& folder, const std::string& to,
                          FileSystem& files) {
  SOTTO_TRY_ASSIGN(const auto last, ReadLastBlock(session, model.lineage));
  SOTTO_TRY_ASSIGN(const auto snapshot,
                   ReadSnapshotBytes(session, model.lineage));
  const auto header = ReadBlock(last);
  if (!header || !snapshot) return Corruption("the last block is damaged");
  const Position before{header->first - 1, header->previous};
  const Position end = FollowChain(*header, last);
  const std::string segment =
      EncodeSegmentHeader({model.lineage, header->term, before}) + last;
  SOTTO_TRY(files.CreateFolder(to));
  SOTTO_TRY(files.CreateFolder(to + "/journal"));
  const std::pair<std::string, std::string_view> parts[] = {
      {to + "/model.json", model.file},
      {SegmentPath(to + "/journal", header->first), segment},
      {SnapshotPath(to + "/journal", end.tail), *snapshot}};
  for (const auto& [path, bytes] : parts) {
    SOTTO_TRY_ASSIGN(const int fd, PublishNewFile(files, path, bytes));
    files.Close(fd);
  }
  SOTTO_TRY(files.CreateFolder(folder.anchors));
  SOTTO_TRY_ASSIGN(auto anchor, Anchor::Open(folder.anchor(model.name), files));
  return anchor.Commit({model.lineage, end, last});
}

Json Moved(Json::Array names) {
  return Json::Object{{"moved", std::move(names)}};
}

}  // namespace

Result<Json> MoveToEngine(const std::string& url, const ServiceFolder& folder,
                          FileSystem& files) {
  SOTTO_TRY_ASSIGN(auto session, PostgresConnection::Open(url, kDeadline));
  SOTTO_TRY(CheckEngineSchema(session));
  SOTTO_TRY_ASSIGN(const auto compacted, CompactJournals(folder, files));
  if (!*compacted.Find("good")->boolean()) {
    return FailedPrecondition("a model cannot be moved: " + compacted.Dump());
  }
  const std::string moving = folder.folder + "/moving";
  SOTTO_TRY(files.CreateFolder(moving));
  SOTTO_TRY(files.SyncParentFolder(moving));
  SOTTO_TRY_ASSIGN(const auto names, ListFolders(folder.models(), files));
  for (const std::string& name : names) {
    SOTTO_TRY(MoveFolder(folder.model(name), moving + "/" + name, files));
  }
  SOTTO_TRY_ASSIGN(const auto all, ListFolders(moving, files));
  Json::Array moved;
  for (const std::string& name : all) {
    SOTTO_TRY(MoveOneToEngine(session, folder, name, files));
    moved.emplace_back(name);
  }
  return Moved(std::move(moved));
}

Result<Json> MoveToFolder(const std::string& url, const ServiceFolder& folder,
                          const std::string& model, FileSystem& files) {
  const std::string moving = folder.folder + "/moving/" + model;
  SOTTO_TRY_ASSIGN(const auto root, ReadKeyFile(folder.key, files));
  SOTTO_TRY_ASSIGN(auto session, PostgresConnection::Open(url, kDeadline));
  SOTTO_TRY(CheckEngineSchema(session));
  auto found = FindModel(session, model);
  SOTTO_TRY_ASSIGN(const auto started, files.Look(moving + "/model.json"));
  const bool done = !found && started;  // all but the last step
  if (!done) {
    SOTTO_TRY(found);
    // An anchor of this host tells whether the database was restored.
    const std::string anchor_path = EngineAnchor(folder, model, found->lineage);
    SOTTO_TRY_ASSIGN(const auto anchor, files.Look(anchor_path));
    SOTTO_TRY(SnapshotAtEnd({.url = url,
                             .lineage = found->lineage,
                             .anchor = anchor ? anchor_path : "",
                             .roots = {root},
                             .holder = "sotto engine migrate",
                             .deadline = kDeadline,
                             .files = &files}));
    std::filesystem::remove_all(moving);
    SOTTO_TRY(files.CreateFolder(folder.folder + "/moving"));
    SOTTO_TRY(WriteJournalFolder(session, *found, folder, moving, files));
    SOTTO_TRY(RemoveModel(session, found->lineage));
  }
  SOTTO_TRY(files.CreateFolder(folder.models()));
  SOTTO_TRY(MoveFolder(moving, folder.model(model), files));
  return Moved({model});
}

Result<Json> DeclareEngineRollback(const std::string& url,
                                   const std::string& model) {
  SOTTO_TRY_ASSIGN(auto session, PostgresConnection::Open(url, kDeadline));
  SOTTO_TRY(CheckEngineSchema(session));
  SOTTO_TRY_ASSIGN(const auto found, FindModel(session, model));
  SOTTO_TRY(RetireModel(session, found));
  return Json(Json::Object{{"retired", model}});
}

}  // namespace sotto
