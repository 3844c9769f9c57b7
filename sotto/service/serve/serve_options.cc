#include "sotto/service/serve/serve_options.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/frontend/reader_options.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/session.h"
#include "sotto/service/serve/demo.h"

namespace sotto {
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
      {.name = "engine",
       .help = "Keep models in PostgreSQL: postgresql://HOST/NAME"},
      {.name = "role",
       .help = "With --engine: what this process does; a front writes no "
               "model and forwards every request",
       .words = {"writer", "front"}},
      {.name = "peer",
       .help = "With --engine: address for other processes (default: "
               "127.0.0.1, any port)"},
      {.name = "advertise",
       .help = "The same address as other machines reach it (default: that "
               "of --peer)"},
      {.name = "peer-key",
       .help = "Key file of a front (default: DIR/peer.key; writers make it)"},
      {.name = "tls-certificate", .help = "Certificate chain (PEM) for users"},
      {.name = "tls-key", .help = "Private key (PEM) of the certificate"},
      {.name = "snapshot-every",
       .type = OptionType::kWhole,
       .help = "Records from one snapshot to the next",
       .low = 1},
      {.name = "reply-grid",
       .type = OptionType::kWhole,
       .help = "Send replies to users on a grid of this many milliseconds",
       .low = 1,
       .high = 10'000},
      {.name = "demo",
       .type = OptionType::kFlag,
       .help = "Serve a made-up table with its own stream of users"},
      {.name = "demo-rate",
       .type = OptionType::kReal,
       .fallback = "100",
       .help = "Rounds a second of the demonstration",
       .high = 1e5,
       .above = true},
      {.name = "demo-restart",
       .type = OptionType::kReal,
       .fallback = "45",
       .help = "Seconds until the demonstration restarts once; 0: never",
       .low = 0,
       .high = 1e6},
      {.name = "model", .help = "Model to make if it is not there"},
      {.name = "name", .help = "Name of that model (default: as --model)"},
      {.name = "train", .help = "Training set of models that need one"},
      {.name = "population", .help = "Name of the people the model is about"},
      {.name = "clock",
       .help = "arrivals: a request is a round, in public. slots:N/SECONDS: "
               "groups of N places that hide who came",
       .value = "CLOCK"},
      {.name = "budget",
       .help = "Charge each new model to this record (sotto budget)",
       .value = "FILE"},
      {.name = "group",
       .help = "With --budget: the users are of this group only",
       .value = "NAME"}};
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
                       .alias = option.alias,
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
Json ParseScalar(const std::string& text) {
  const auto json = Json::Parse(text);
  const bool scalar = json && (json->number() || json->boolean() != nullptr);
  return scalar ? *json : Json(text);
}

// The model that the flags ask for.
Json ReadModel(const Settings& settings) {
  Json model = Json::Object{{"model", settings.Text("model")}};
  for (const char* option : {"name", "train", "population", "clock"}) {
    if (settings.SetByUser(option)) model[option] = settings.Text(option);
  }
  for (const Option& option : ModelOptions()) {
    if (!settings.SetByUser(option.name)) continue;
    model[option.name] = option.type == OptionType::kFlag
                             ? Json(true)
                             : ParseScalar(settings.Text(option.name));
  }
  return model;
}

}  // namespace

const OptionTable& ServeOptions() {
  static const OptionTable kTable =
      ConcatOptions({ServiceOptions(), ModelOptions()});
  return kTable;
}

Result<ServiceConfig> MakeServiceConfig(const Settings& settings) {
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
      {"engine", &config.engine},
      {"role", &config.role},
      {"peer", &config.peer},
      {"advertise", &config.advertise},
      {"peer-key", &config.peer_key},
      {"tls-certificate", &config.certificate},
      {"tls-key", &config.private_key},
      {"budget", &config.budget},
      {"group", &config.budget_group}};
  for (const auto& [option, to] : texts) {
    if (settings.Has(option)) *to = settings.Text(option);
  }
  if (const auto every = settings.GetOptionalInt("snapshot-every")) {
    config.snapshot_every = *every;
  }
  if (const auto grid = settings.GetOptionalInt("reply-grid")) {
    config.reply_grid = static_cast<std::uint32_t>(*grid);
  }
  if (settings.Has("model")) config.models.push_back(ReadModel(settings));
  if (settings.Flag("demo")) config.models.push_back(DemoModel());
  return config;
}

}  // namespace sotto
