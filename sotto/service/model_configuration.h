#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/live_lines.h"
#include "sotto/online/model_entry.h"
#include "sotto/service/slot_clock.h"

namespace sotto {

// A model of a service as its operator asks for it.
//
//   auto configuration = ModelConfiguration::Parse(*Json::Parse(
//       R"({"name":"life","model":"tide","epsilon":1,"delta":1e-6,
//           "horizon":100000,"schema":"life.schema.json"})"));
//
// Everything in it is public. Threads: a value type.
struct ModelConfiguration {
  std::string name;
  std::string model;                 // in the registry, or "count", "monitor"
  std::string population{};          // models on the same people; empty: none
  std::string schema{};              // JSON text; empty: none
  std::string train{};               // path of the training set; empty: none
  std::optional<SlotClock> slots{};  // absent: the clock is that of arrivals
  Json::Object options{};            // of the model, by name

  // Reads the file that "schema" names. Fails with kInvalidArgument.
  static Result<ModelConfiguration> Parse(const Json& json);
  // The same configuration, with the schema in it.
  Json ToJson() const;
};

// A name that can be part of a URL and of a path: letters, digits, '-' and '_',
// at most 64, not '-' first.
bool IsModelName(std::string_view name);

// The values of options, checked against the table. Fails with
// kInvalidArgument.
Result<Settings> ReadOptions(const OptionTable& table,
                             const Json::Object& options);

// An online model's settings, and how its requests are read.
struct OnlineSetup {
  const OnlineModelEntry* entry;
  Settings settings;
  LiveLines lines;
  InputSpec inputs;
  std::optional<SlotClock> slots{};
  std::size_t round_bytes = 0;  // of every ROUND record, with slots

  // Fails with kInvalidArgument: no such model, options that it does not have,
  // or one that cannot be served (a learner outside of this program, options
  // about rows of a file, a clock that the model cannot have).
  static Result<OnlineSetup> Make(const ModelConfiguration& configuration);
};

// Fails with kInvalidArgument for a model whose guarantee is not proved for a
// user who is missing in one world: it cannot have the clock `slots`.
Status CheckCoversAbsence(const OnlineModelEntry& entry);

// Reads the training set that the configuration names, as the model's requests
// are read. Fails with kInvalidArgument: no such file, or other columns.
Result<ExampleReader> OpenTrainingSet(const ModelConfiguration& configuration,
                                      const OnlineSetup& setup);

}  // namespace sotto
