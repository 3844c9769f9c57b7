#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "command.h"
#include "commands.h"
#include "sotto/frontend/reader_options.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/session.h"
#include "sotto/service/serve/demo.h"
#include "sotto/service/serve/event_log.h"
#include "sotto/service/serve/service.h"
#include "sotto/service/serve/service_config.h"

namespace sotto::app {
namespace {

const OptionTable& ServiceOptions() {
  static const OptionTable kTable = {
      {.name = "dir", .help = "Folder of the service; made if needed"},
      {.name = "config", .help = "Read a configuration file (JSON)"},
      {.name = "check-config",
       .type = OptionType::kFlag,
       .help = "Check the configuration and end"},
      {.name = "listen", .help = "Address for users (default: 127.0.0.1:8080)"},
      {.name = "operator",
       .help = "Address for the operator (default: 127.0.0.1:8081)"},
      {.name = "operator-token-file",
       .help = "File with the operator's token; needed off loopback"},
      {.name = "anchor", .help = "Folder of the anchors, best on another disk"},
      {.name = "key", .help = "Key file (default: DIR/sotto.key)"},
      {.name = "tls-certificate", .help = "Certificate chain (PEM) for users"},
      {.name = "tls-key", .help = "Private key (PEM) of the certificate"},
      {.name = "snapshot-every",
       .type = OptionType::kWhole,
       .help = "Records from one snapshot to the next",
       .low = 1},
      {.name = "demo",
       .type = OptionType::kFlag,
       .help = "Serve a made-up table with its own stream of users"},
      {.name = "demo-rate",
       .type = OptionType::kReal,
       .fallback = "100",
       .help = "Rounds a second of the demonstration",
       .high = 1e5,
       .above = true},
      {.name = "model", .help = "Model to make if it is not there"},
      {.name = "name", .help = "Name of that model (default: as --model)"},
      {.name = "train", .help = "Training set of models that need one"},
      {.name = "population", .help = "Name of the people the model is about"}};
  return kTable;
}

// The options of every model, each once. Their values are checked when the
// model is known.
OptionTable ModelOptions() {
  OptionTable table;
  std::set<std::string_view> seen;
  for (const Option& own : ServiceOptions()) seen.insert(own.name);
  const auto add = [&](const OptionTable& more) {
    for (const Option& option : more) {
      if (!seen.insert(option.name).second) continue;
      const bool flag = option.type == OptionType::kFlag;
      table.push_back({.name = option.name,
                       .type = flag ? OptionType::kFlag : OptionType::kText,
                       .help = option.help,
                       .group = "options of the model"});
    }
  };
  for (const OnlineModelEntry* entry : OnlineModels()) {
    add(Session::Options(*entry));
  }
  add({SchemaOption()});
  return table;
}

// A value as a configuration has it: a number or a Boolean where it is one.
Json ToJson(const std::string& text) {
  const auto json = Json::Parse(text);
  const bool scalar = json && (json->number() || json->boolean() != nullptr);
  return scalar ? *json : Json(text);
}

// The model that the flags ask for.
Json ReadModel(const Settings& settings) {
  Json model = Json::Object{{"model", settings.Text("model")}};
  for (const char* option : {"name", "train", "population"}) {
    if (settings.SetByUser(option)) model[option] = settings.Text(option);
  }
  for (const Option& option : ModelOptions()) {
    if (!settings.SetByUser(option.name)) continue;
    model[option.name] = option.type == OptionType::kFlag
                             ? Json(true)
                             : ToJson(settings.Text(option.name));
  }
  return model;
}

Result<ServiceConfig> ReadConfig(const Settings& settings) {
  ServiceConfig config;
  if (settings.Has("config")) {
    SOTTO_TRY(config.TakeFile(settings.Text("config")));
  }
  const std::pair<const char*, std::string*> texts[] = {
      {"dir", &config.folder},
      {"listen", &config.listen},
      {"operator", &config.operator_address},
      {"operator-token-file", &config.operator_token_file},
      {"anchor", &config.anchor},
      {"key", &config.key},
      {"tls-certificate", &config.certificate},
      {"tls-key", &config.private_key}};
  for (const auto& [option, to] : texts) {
    if (settings.Has(option)) *to = settings.Text(option);
  }
  if (const auto every = settings.GetOptionalInt("snapshot-every")) {
    config.snapshot_every = *every;
  }
  if (settings.Has("model")) config.models.push_back(ReadModel(settings));
  if (settings.Flag("demo")) config.models.push_back(DemoModel());
  return config;
}

// A new folder for a demonstration without --dir.
Result<std::string> MakeFolder() {
  std::string path =
      std::filesystem::temp_directory_path() / "sotto-demo-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    return Unavailable("cannot make a folder for the demonstration");
  }
  return path;
}

Result<std::unique_ptr<RunningService>> StartService(ServiceConfig config,
                                                     bool demo, EventLog& log) {
  auto service = RunningService::Start(config, log);
  const bool taken =
      !service && service.error().code == ErrorCode::kUnavailable;
  if (!demo || !taken) return service;
  // The usual ports may be in use: any others do for a demonstration.
  config.listen = config.operator_address = "127.0.0.1:0";
  return RunningService::Start(config, log);
}

int Serve(const Settings& settings) {
  auto config = ReadConfig(settings);
  if (!config) return Report(config.error());
  const bool demo = settings.Flag("demo");
  if (settings.Flag("check-config")) {
    const Status good = RunningService::Check(*config);
    if (!good) return Report(good.error());
    Print(std::string("the configuration is good\n"));
    return kDone;
  }
  if (config->folder.empty() && demo) {
    auto folder = MakeFolder();
    if (!folder) return Report(folder.error());
    config->folder = *folder;
  }
  if (config->folder.empty()) {
    return Report(
        InvalidArgument("missing folder. Give --dir DIR, or --demo."));
  }
  EventLog log(STDERR_FILENO);
  const auto service = StartService(*config, demo, log);
  if (!service) return Report(service.error());
  std::unique_ptr<DemoUsers> users;
  if (demo) {
    Print(DemoCommands((*service)->user_url(), (*service)->operator_url()));
    std::fflush(stdout);  // for those who read it from a pipe
    users = std::make_unique<DemoUsers>((*service)->user_url(),
                                        settings.GetDouble("demo-rate"));
  }
  (*service)->Run();
  return kDone;
}

}  // namespace

Command ServeCommand() {
  return {.name = "serve",
          .help = "Serve models over HTTP: predict now, label later",
          .footer =
              "Examples:\n"
              "  sotto serve --demo\n"
              "  sotto serve --dir shop --model tide --epsilon 1 --delta 1e-6 "
              "--horizon 1e5 --schema s.json\n"
              "  sotto serve --dir shop\n"
              "Events are lines of JSON on standard error. SIGTERM drains.",
          .options = ConcatOptions({ServiceOptions(), ModelOptions()}),
          .call = Serve};
}

}  // namespace sotto::app
