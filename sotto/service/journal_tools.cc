#include "sotto/service/journal_tools.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include "sotto/durable/journaled.h"
#include "sotto/journal/file_journal.h"
#include "sotto/service/model_machine.h"

namespace sotto {
namespace {

struct OpenModel {
  ModelFile file;
  std::unique_ptr<FileJournal> journal{};
  std::unique_ptr<ModelMachine> machine{};
  std::uint64_t after = 0;  // the record that the machine stands on
};

// A journal and the snapshot it starts from. The rest is not replayed yet.
Result<OpenModel> OpenAt(const ServiceFolder& folder, const std::string& name,
                         const std::vector<Key>& roots, FileSystem& files) {
  SOTTO_TRY_ASSIGN(auto file, ReadModelFile(folder.model(name), files));
  OpenModel model{.file = std::move(file)};
  SOTTO_TRY_ASSIGN(model.journal,
                   FileJournal::Open({.folder = folder.journal(name),
                                      .anchor = folder.anchor(name),
                                      .roots = roots,
                                      .files = &files}));
  model.machine =
      std::make_unique<ModelMachine>(roots, model.journal->lineage());
  SOTTO_TRY_ASSIGN(const auto snapshot, model.journal->ReadSnapshot());
  if (!snapshot) return model;
  SOTTO_TRY(model.machine->Load(snapshot->state));
  model.after = snapshot->position.tail;
  return model;
}

// Replays and claims.
Result<std::unique_ptr<Journaled>> Claim(OpenModel& model,
                                         std::string_view holder) {
  SOTTO_TRY_ASSIGN(
      auto journaled,
      Journaled::Resume(std::move(model.journal), *model.machine, model.after,
                        {.holder = std::string(holder)}));
  if (model.machine->model() == nullptr) {
    return FailedPrecondition(
        "the model was never completed: start the "
        "service once");
  }
  return journaled;
}

Status KeepSnapshot(Journaled& journaled, ModelMachine& machine) {
  SOTTO_TRY_ASSIGN(const auto state, machine.Save());
  return journaled.WriteSnapshot(state, true);
}

// Calls `report` for every model; a failure becomes its entry.
Result<Json> ForEachModel(
    const ServiceFolder& folder, FileSystem& files,
    const std::function<Result<Json>(const std::string&)>& report) {
  SOTTO_TRY_ASSIGN(const auto names, ListFolders(folder.models(), files));
  bool good = true;
  Json::Array models;
  for (const std::string& name : names) {
    const auto made = report(name);
    Json entry = Json::Object{{"name", name}, {"good", made.has_value()}};
    if (made) {
      for (const auto& [key, value] : *made->object()) entry[key] = value;
    } else {
      entry["reason"] = made.error().message;
    }
    good = good && made;
    models.push_back(std::move(entry));
  }
  return Json(Json::Object{{"good", good}, {"models", std::move(models)}});
}

constexpr std::array<std::string_view, 10> kTypes = {
    "",    "model", "train", "round",    "label",
    "add", "claim", "key",   "rollback", "snapshot"};

Result<Json> CountRecords(FileJournal& journal) {
  std::array<std::uint64_t, kTypes.size()> counts{};
  SOTTO_TRY(journal.Read(journal.first() - 1, [&](const JournalEntry& entry) {
    ++counts[static_cast<std::size_t>(entry.record.type) % kTypes.size()];
    return Ok();
  }));
  Json json = Json::Object{};
  for (std::size_t i = 1; i < kTypes.size(); ++i) {
    if (counts[i] > 0) json[kTypes[i]] = counts[i];
  }
  return json;
}

// The place of a retired model: the first number that is free.
std::string RetiredPath(const ServiceFolder& folder, const std::string& name) {
  int number = 1;
  const auto path = [&] {
    return folder.retired() + "/" + name + "-" + std::to_string(number);
  };
  while (std::filesystem::exists(path())) ++number;
  return path();
}

Status Move(const std::string& from, const std::string& to, FileSystem& files) {
  std::error_code failed;
  std::filesystem::rename(from, to, failed);
  if (failed) return Unavailable(from + ": " + failed.message());
  SOTTO_TRY(files.SyncParentFolder(to));
  return files.SyncParentFolder(from);
}

// Fails if a service holds the journal.
Status CheckNotRunning(const std::string& journal, FileSystem& files) {
  SOTTO_TRY_ASSIGN(const int lock, files.Lock(journal + "/lock"));
  files.Close(lock);
  return Ok();
}

std::string OldKeyPath(const ServiceFolder& folder) {
  int number = 1;
  const auto path = [&] {
    return folder.key + ".old-" + std::to_string(number);
  };
  while (std::filesystem::exists(path())) ++number;
  return path();
}

Result<Key> OpenOrMakeKey(const std::string& path, FileSystem& files) {
  SOTTO_TRY_ASSIGN(const auto there, files.Look(path));
  return there ? ReadKeyFile(path, files) : CreateKeyFile(path, files);
}

// Continues a model under the newest root, unless it does already.
Result<Json> RotateModel(const ServiceFolder& folder, const std::string& name,
                         const std::vector<Key>& roots, FileSystem& files) {
  SOTTO_TRY_ASSIGN(auto model, OpenAt(folder, name, roots, files));
  SOTTO_TRY_ASSIGN(auto journaled, Claim(model, "rotate-key"));
  const std::vector<Record> records = {model.machine->MakeKeyRecord()};
  SOTTO_TRY(journaled->Commit(records, [&] {
    return model.machine->Replay({records[0].type, records[0].payload});
  }));
  // The old key is not needed from here on.
  SOTTO_TRY(KeepSnapshot(*journaled, *model.machine));
  return Json(Json::Object{{"records", journaled->journal().position().tail}});
}

}  // namespace

Result<Json> VerifyJournals(const ServiceFolder& folder, FileSystem& files) {
  SOTTO_TRY_ASSIGN(const auto root, ReadKeyFile(folder.key, files));
  return ForEachModel(
      folder, files, [&](const std::string& name) -> Result<Json> {
        SOTTO_TRY_ASSIGN(auto model, OpenAt(folder, name, {root}, files));
        SOTTO_TRY(CountRecords(*model.journal));  // opens every seal
        const Position end = model.journal->position();
        const std::uint64_t first = model.journal->first();
        SOTTO_TRY(Journaled::Verify(std::move(model.journal), *model.machine,
                                    model.after));
        if (!model.machine->retired().empty()) {
          return FailedPrecondition(model.machine->retired());
        }
        const ServedModel* const served = model.machine->model();
        return Json(Json::Object{{"records", end.tail},
                                 {"first_kept", first},
                                 {"snapshot", model.after},
                                 {"replayed", end.tail - model.after},
                                 {"rounds", served ? served->rounds() : 0}});
      });
}

Result<Json> ShowJournals(const ServiceFolder& folder, FileSystem& files) {
  SOTTO_TRY_ASSIGN(const auto root, ReadKeyFile(folder.key, files));
  return ForEachModel(
      folder, files, [&](const std::string& name) -> Result<Json> {
        SOTTO_TRY_ASSIGN(auto model, OpenAt(folder, name, {root}, files));
        SOTTO_TRY_ASSIGN(const auto records, CountRecords(*model.journal));
        const Position end = model.journal->position();
        Hash16 head{};
        std::copy_n(end.head.begin(), head.size(), head.begin());
        return Json(
            Json::Object{{"model", model.file.configuration.model},
                         {"lineage", WriteHex16(model.journal->lineage())},
                         {"records", end.tail},
                         {"head", WriteHex16(head)},
                         {"first_kept", model.journal->first()},
                         {"next_term", model.journal->term()},
                         {"snapshot", model.after},
                         {"kept", records}});
      });
}

Result<Json> CompactJournals(const ServiceFolder& folder, FileSystem& files) {
  SOTTO_TRY_ASSIGN(const auto root, ReadKeyFile(folder.key, files));
  return ForEachModel(
      folder, files, [&](const std::string& name) -> Result<Json> {
        SOTTO_TRY_ASSIGN(auto model, OpenAt(folder, name, {root}, files));
        const std::uint64_t before = model.journal->first();
        SOTTO_TRY_ASSIGN(auto journaled, Claim(model, "compact"));
        SOTTO_TRY(KeepSnapshot(*journaled, *model.machine));
        return Json(
            Json::Object{{"records", journaled->journal().position().tail},
                         {"deleted", journaled->journal().first() - before}});
      });
}

Result<Json> RotateServiceKey(const ServiceFolder& folder, FileSystem& files) {
  SOTTO_TRY_ASSIGN(const auto names, ListFolders(folder.models(), files));
  for (const std::string& name : names) {
    SOTTO_TRY(CheckNotRunning(folder.journal(name), files));
  }
  SOTTO_TRY_ASSIGN(const auto current, files.Look(folder.key));
  SOTTO_TRY_ASSIGN(const auto next, files.Look(folder.next_key()));
  if (!current && next) {
    // Only the last step is missing.
    SOTTO_TRY(Move(folder.next_key(), folder.key, files));
    return VerifyJournals(folder, files);
  }
  SOTTO_TRY_ASSIGN(const auto old, ReadKeyFile(folder.key, files));
  SOTTO_TRY_ASSIGN(const auto fresh, OpenOrMakeKey(folder.next_key(), files));
  SOTTO_TRY_ASSIGN(auto report,
                   ForEachModel(folder, files, [&](const std::string& name) {
                     return RotateModel(folder, name, {old, fresh}, files);
                   }));
  if (!*report.Find("good")->boolean()) return report;
  const std::string kept = OldKeyPath(folder);
  SOTTO_TRY(Move(folder.key, kept, files));
  SOTTO_TRY(Move(folder.next_key(), folder.key, files));
  report["old_key"] = kept;
  return report;
}

Result<Json> DeclareRollback(const ServiceFolder& folder,
                             const std::string& model, FileSystem& files) {
  if (!IsModelName(model)) return InvalidArgument("not the name of a model");
  const std::string place = folder.model(model);
  SOTTO_TRY_ASSIGN(const auto there, files.Look(place));
  if (!there) return FailedPrecondition("no model '" + model + "'");
  SOTTO_TRY_ASSIGN(auto file, ReadModelFile(place, files));
  SOTTO_TRY(CheckNotRunning(folder.journal(model), files));
  SOTTO_TRY(files.CreateFolder(folder.retired()));
  const std::string retired = RetiredPath(folder, model);
  // The anchor first: a journal without its anchor is refused.
  SOTTO_TRY_ASSIGN(const auto anchor, files.Look(folder.anchor(model)));
  if (anchor) SOTTO_TRY(Move(folder.anchor(model), place + "/anchor", files));
  SOTTO_TRY(Move(place, retired, files));
  SOTTO_TRY(files.CreateFolder(place));
  SOTTO_TRY(WriteModelFile(place, file, files));
  return Json(Json::Object{{"name", model},
                           {"retired", retired},
                           {"epsilon", 2 * file.epsilon},
                           {"delta", 2 * file.delta}});
}

}  // namespace sotto
