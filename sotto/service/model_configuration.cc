#include "sotto/service/model_configuration.h"

#include <algorithm>
#include <utility>

#include "sotto/data/files/file_system.h"
#include "sotto/data/streams/schema.h"
#include "sotto/data/streams/stream_format.h"
#include "sotto/durable/record.h"
#include "sotto/frontend/reader_options.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/session.h"

namespace sotto {
namespace {

constexpr std::size_t kMaxName = 64;

Result<std::string> ReadText(const std::string& key, const Json& value) {
  if (value.text() != nullptr) return *value.text();
  return InvalidArgument("\"" + key + "\" must be a string");
}

// The schema's text, checked, from an object or from the file of a path.
Result<std::string> ReadSchema(const Json& value) {
  if (value.object() != nullptr) {
    SOTTO_TRY(Schema::Parse(value.Dump(), "\"schema\""));
    return value.Dump();
  }
  SOTTO_TRY_ASSIGN(const auto path, ReadText("schema", value));
  SOTTO_TRY(Schema::FromFile(path));
  SOTTO_TRY_ASSIGN(const auto text,
                   RealFiles().Read(path, Schema::kMaxBytes + 1));
  SOTTO_TRY_ASSIGN(const auto json, Json::Parse(text));
  return json.Dump();
}

Status TakeMember(const std::string& key, const Json& value,
                  ModelConfiguration& configuration) {
  if (key == "schema") {
    SOTTO_TRY_ASSIGN(configuration.schema, ReadSchema(value));
    return Ok();
  }
  if (key == "clock") {
    SOTTO_TRY_ASSIGN(const auto clock, ReadText(key, value));
    SOTTO_TRY_ASSIGN(configuration.slots, SlotClock::Parse(clock));
    return Ok();
  }
  std::string* const text = key == "name"         ? &configuration.name
                            : key == "model"      ? &configuration.model
                            : key == "population" ? &configuration.population
                            : key == "train"      ? &configuration.train
                                                  : nullptr;
  if (text == nullptr) {
    configuration.options.emplace_back(key, value);
    return Ok();
  }
  SOTTO_TRY_ASSIGN(*text, ReadText(key, value));
  return Ok();
}

// Options about rows of a file have no meaning for requests; a learner outside
// of this program could not be replayed.
Status CheckServable(const OnlineModelEntry& entry, const Settings& settings) {
  for (const char* option : {"data", "format", "no-header", "columns", "user",
                             "label", "skip-bad", "public", "label-delay"}) {
    if (!settings.SetByUser(option)) continue;
    return InvalidArgument(
        std::string("option '")
            .append(option)
            .append("' is about rows of a file. A service has none"));
  }
  const bool pluggable = FindOption(settings.table(), "learner") != nullptr;
  if (pluggable && settings.Text("learner").starts_with("exec:")) {
    return InvalidArgument(std::string(entry.name) +
                           " with your own learner cannot be served: its "
                           "answers cannot be replayed after a crash");
  }
  return Ok();
}

// Values of a row without a schema, with slots: all records have the size of
// the longest.
constexpr std::size_t kMostValues = 256;
// Bytes of the records of one group. A block may have 64 MiB.
constexpr std::size_t kMostGroupBytes = std::size_t{32} << 20;

Status SetSlots(OnlineSetup& setup, const SlotClock& clock) {
  const std::uint64_t life = setup.settings.GetInt("ticket-rounds");
  if (life != 0 && life < clock.rounds) {
    return InvalidArgument(
        "with the clock slots a ticket must live for a group: ticket-rounds "
        "must be 0 or at least " +
        std::to_string(clock.rounds));
  }
  const Schema* const schema = setup.inputs.schema.get();
  setup.round_bytes = PaddedRoundBytes(
      schema != nullptr ? schema->columns.size() : kMostValues);
  if (setup.round_bytes * clock.rounds > kMostGroupBytes) {
    return InvalidArgument("a group of " + std::to_string(clock.rounds) +
                           " rows of this schema is too large for the journal");
  }
  setup.slots = clock;
  return Ok();
}

Result<ReaderParams> MakeParams(const OnlineModelEntry& entry,
                                const ModelConfiguration& configuration,
                                Settings settings) {
  SOTTO_TRY(settings.Set("data", "-"));
  SOTTO_TRY(settings.Set("format", "jsonl"));
  SOTTO_TRY_ASSIGN(auto params, MakeReaderParams(settings));
  if (!configuration.schema.empty()) {
    SOTTO_TRY_ASSIGN(auto schema,
                     Schema::Parse(configuration.schema, "\"schema\""));
    params.encoding.schema = std::move(schema);
  }
  params.skip_bad = true;
  params.label_optional = entry.needs_training_set;
  SOTTO_TRY(entry.prepare(settings, params));
  return params;
}

}  // namespace

Status CheckCoversAbsence(const OnlineModelEntry& entry) {
  if (entry.covers_absence) return Ok();
  return InvalidArgument(
      "the clock slots is not available for " + std::string(entry.name) +
      ": its guarantee is not proved for a user who comes in one world and not "
      "in the other. tide and leader have it");
}

bool IsModelName(std::string_view name) {
  const auto good = [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return !name.empty() && name.size() <= kMaxName && name.front() != '-' &&
         std::ranges::all_of(name, good);
}

Result<ModelConfiguration> ModelConfiguration::Parse(const Json& json) {
  if (json.object() == nullptr) {
    return InvalidArgument("a configuration must be an object");
  }
  ModelConfiguration configuration;
  for (const auto& [key, value] : *json.object()) {
    SOTTO_TRY(TakeMember(key, value, configuration));
  }
  if (configuration.model.empty()) {
    return InvalidArgument("\"model\" is missing: tide, pop, count, ...");
  }
  if (configuration.name.empty()) configuration.name = configuration.model;
  if (!IsModelName(configuration.name)) {
    return InvalidArgument(
        "\"name\" must be 1 to 64 letters, digits, '-' or '_'");
  }
  return configuration;
}

Json ModelConfiguration::ToJson() const {
  Json json = Json::Object{{"name", name}, {"model", model}};
  if (!population.empty()) json["population"] = population;
  if (slots) json["clock"] = slots->ToText();
  for (const auto& [key, value] : options) json[key] = value;
  if (!schema.empty()) json["schema"] = *Json::Parse(schema);
  if (!train.empty()) json["train"] = train;
  return json;
}

Result<Settings> ReadOptions(const OptionTable& table,
                             const Json::Object& options) {
  Settings settings(table);
  for (const auto& [name, value] : options) {
    SOTTO_TRY(settings.SetJson(name, value));
  }
  SOTTO_TRY(settings.CheckRequired());
  return settings;
}

Result<OnlineSetup> OnlineSetup::Make(const ModelConfiguration& configuration) {
  const OnlineModelEntry* const entry = FindOnlineModel(configuration.model);
  if (entry == nullptr) {
    return InvalidArgument("unknown model '" + configuration.model + "'");
  }
  if (configuration.slots) SOTTO_TRY(CheckCoversAbsence(*entry));
  if (entry->needs_training_set == configuration.train.empty()) {
    return InvalidArgument(configuration.model +
                           (entry->needs_training_set
                                ? " starts from a training set: give \"train\""
                                : " starts from nothing: leave \"train\" out"));
  }
  SOTTO_TRY_ASSIGN(
      const auto settings,
      ReadOptions(ConcatOptions({Session::Options(*entry), ReaderOptions()}),
                  configuration.options));
  SOTTO_TRY(CheckServable(*entry, settings));
  SOTTO_TRY_ASSIGN(const auto params,
                   MakeParams(*entry, configuration, settings));
  SOTTO_TRY_ASSIGN(auto lines, LiveLines::Create(params));
  InputSpec inputs = MakeInputSpec(lines);
  OnlineSetup setup{entry, settings, std::move(lines), std::move(inputs)};
  if (configuration.slots) SOTTO_TRY(SetSlots(setup, *configuration.slots));
  return setup;
}

Result<ExampleReader> OpenTrainingSet(const ModelConfiguration& configuration,
                                      const OnlineSetup& setup) {
  SOTTO_TRY_ASSIGN(auto params,
                   MakeParams(*setup.entry, configuration, setup.settings));
  params.path = configuration.train;
  params.label_optional = false;
  params.format = FormatOfPath(params.path);
  SOTTO_TRY_ASSIGN(auto reader, ExampleReader::Open(std::move(params)));
  if (reader.input_fingerprint() == setup.inputs.print) return reader;
  return InvalidArgument(configuration.train +
                         ": other columns, or another label, than the model's "
                         "requests have");
}

}  // namespace sotto
