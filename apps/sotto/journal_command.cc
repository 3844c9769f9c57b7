#include <functional>
#include <string>
#include <utility>

#include "command.h"
#include "commands.h"
#include "sotto/service/journal_tools.h"

namespace sotto::app {
namespace {

using Tool = std::function<Result<Json>(const ServiceFolder&, const Settings&)>;

OptionTable FolderOptions() {
  return {{.name = "dir",
           .help = "the folder of the service, which is not running",
           .required = true},
          {.name = "anchor", .help = "where the anchors are, if elsewhere"},
          {.name = "key", .help = "the key file, if elsewhere"},
          {.name = "json",
           .type = OptionType::kFlag,
           .help = "a JSON report on one line"}};
}

int Use(const Tool& tool, const Settings& settings) {
  const auto folder = ServiceFolder::At(
      settings.Text("dir"), settings.Text("anchor"), settings.Text("key"));
  const auto report = tool(folder, settings);
  if (!report) return Report(report.error());
  PrintReport(*report, settings.Flag("json"));
  const Json* const good = report->Find("good");
  return good == nullptr || *good->boolean() ? kDone : kFailed;
}

Command MakeVerb(std::string name, std::string help, const Tool& tool,
                 const OptionTable& more = {}) {
  const std::string footer = "Example: sotto journal " + name +
                             (more.empty() ? "" : " --model life") + " DIR";
  return {
      .name = std::move(name),
      .help = std::move(help),
      .footer = footer,
      .options = ConcatOptions({FolderOptions(), more}),
      .argument = "dir",
      .call = [tool](const Settings& settings) { return Use(tool, settings); }};
}

// A tool that takes only the folder.
Tool Plain(Result<Json> (*tool)(const ServiceFolder&, FileSystem&)) {
  return [tool](const ServiceFolder& folder, const Settings&) {
    return tool(folder, RealFiles());
  };
}

}  // namespace

Command JournalCommand() {
  const Tool rollback = [](const ServiceFolder& folder,
                           const Settings& settings) {
    return DeclareRollback(folder, settings.Text("model"));
  };
  const OptionTable model = {{.name = "model",
                              .help = "the model whose records were lost",
                              .required = true}};
  return {
      .name = "journal",
      .help = "Check and maintain the journals of a service",
      .footer = "Example: sotto journal verify DIR",
      .commands = {
          MakeVerb("verify", "Read every record and replay what a start would",
                   Plain(VerifyJournals)),
          MakeVerb("show", "Print positions, terms and numbers of records",
                   Plain(ShowJournals)),
          MakeVerb("compact", "Take snapshots and delete older records",
                   Plain(CompactJournals)),
          MakeVerb("rotate-key", "Continue every model under a new key",
                   Plain(RotateServiceKey)),
          MakeVerb("declare-rollback",
                   "Retire a model that was rolled back, start a fresh one",
                   rollback, model)}};
}

}  // namespace sotto::app
