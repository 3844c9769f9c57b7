#include <functional>
#include <string>
#include <utility>

#include "command.h"
#include "commands.h"
#include "sotto/service/engine/engine_tools.h"

namespace sotto::app {
namespace {

using Tool = std::function<Result<Json>(const Settings&)>;

OptionTable FolderOptions() {
  return {{.name = "dir",
           .help = "Folder of the service, with its key file",
           .required = true},
          {.name = "anchor", .help = "Folder of the anchors, if elsewhere"},
          {.name = "key", .help = "Key file, if elsewhere"}};
}

ServiceFolder Folder(const Settings& settings) {
  return ServiceFolder::At(settings.Text("dir"), settings.Text("anchor"),
                           settings.Text("key"));
}

Command MakeVerb(std::string name, std::string help, std::string footer,
                 Tool tool, const OptionTable& more = {}) {
  const OptionTable url = {
      {.name = "url",
       .help = "The database: postgresql://HOST/NAME, as libpq takes it",
       .required = true},
      {.name = "json",
       .type = OptionType::kFlag,
       .help = "Print JSON on one line"}};
  return {.name = std::move(name),
          .help = std::move(help),
          .footer = "Example: sotto engine " + std::move(footer),
          .options = ConcatOptions({url, more}),
          .argument = "url",
          .call = [tool = std::move(tool)](const Settings& settings) {
            const auto report = tool(settings);
            if (!report) return Report(report.error());
            PrintReport(*report, settings.Flag("json"));
            return kDone;
          }};
}

Result<Json> Migrate(const Settings& settings) {
  const std::string url = settings.Text("url");
  if (settings.Text("to") == "engine") {
    return MoveToEngine(url, Folder(settings));
  }
  if (!settings.Has("model")) {
    return InvalidArgument("missing model. Give --model NAME.");
  }
  return MoveToFolder(url, Folder(settings), settings.Text("model"));
}

}  // namespace

Command EngineCommand() {
  const OptionTable direction = {
      {.name = "to",
       .fallback = "engine",
       .help = "Where the models go: into the database, or the folder",
       .words = {"engine", "folder"}},
      {.name = "model", .help = "Model to move into the folder"}};
  const OptionTable migrate = ConcatOptions({FolderOptions(), direction});
  return {
      .name = "engine",
      .help = "Keep the journals of a service in PostgreSQL",
      .footer = "Example: sotto engine init postgresql:///sotto",
      .commands = {
          MakeVerb("init", "Make the tables and roles",
                   "init postgresql:///sotto",
                   [](const Settings& settings) {
                     return InitEngine(settings.Text("url"));
                   }),
          MakeVerb("status", "Print models, writers and sizes",
                   "status postgresql:///sotto",
                   [](const Settings& settings) {
                     return ShowEngine(settings.Text("url"));
                   }),
          MakeVerb("migrate", "Move models between a folder and the database",
                   "migrate --dir DIR postgresql:///sotto", Migrate, migrate),
          MakeVerb(
              "prune", "Delete records below the newest snapshots",
              "prune --dir DIR postgresql:///sotto",
              [](const Settings& settings) {
                return PruneEngine(settings.Text("url"), Folder(settings));
              },
              FolderOptions()),
          MakeVerb("declare-rollback",
                   "Retire a model whose records were lost, start a fresh one",
                   "declare-rollback --model life postgresql:///sotto",
                   [](const Settings& settings) {
                     return DeclareEngineRollback(settings.Text("url"),
                                                  settings.Text("model"));
                   },
                   {{.name = "model",
                     .help = "Model that was rolled back",
                     .required = true}})}};
}

}  // namespace sotto::app
