#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "pop_flags.h"
#include "sotto/base/result.h"
#include "sotto/streams/example_reader.h"

namespace sotto::app {

// Everything `sotto run` can be told.
struct RunFlags {
  std::string model;
  PopFlags pop;

  // The stream.
  std::string data;
  std::string format;
  std::string schema;
  std::string label;
  std::string user;
  std::string labels;
  bool no_header = false;
  std::optional<std::uint32_t> columns;
  std::optional<int> hash_bits;
  bool skip_bad = false;

  // What is done with it.
  bool compare = false;
  bool public_only = false;
  std::uint64_t threads = 1;
  std::optional<std::int64_t> seed;
  std::string save;
  std::string load;

  // What is written.
  std::string predictions;
  std::string report;
  std::string table_every = "2.0";
  bool json = false;
  bool quiet = false;
  bool progress = false;

  // The names of the flags on the command line, without dashes.
  std::set<std::string> given;
};

void AddRunFlags(CLI::App& command, RunFlags& flags);

// Those flags that a saved state keeps, by name.
nlohmann::ordered_json SettingsOf(const RunFlags& flags);
// Puts saved settings into `flags`. Fails with kInvalidArgument if a flag was
// given that says something else, with kCorruption if they make no sense.
Status AdoptSettings(const nlohmann::ordered_json& saved, RunFlags& flags);

// How to read the stream for this learner, which may say how many features
// there are, and may need to know. Fails with kInvalidArgument.
Result<ExampleReader::Params> ReaderParamsOf(const RunFlags& flags,
                                             const LearnerSpec& learner);

}  // namespace sotto::app
