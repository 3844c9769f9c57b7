#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "run_flags.h"
#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/random/key.h"

namespace sotto::app {

// What the saved states of all models have in common, and how a run's guarantee
// is shared out. The layouts are in docs/formats/state.md.

// Visitors of a model's flags, by name.
struct SettingToJson {
  nlohmann::ordered_json& json;
  template <typename T>
  void operator()(const char* name, const T& value) const {
    json[name] = value;
  }
  template <typename T>
  void operator()(const char* name, const std::optional<T>& value) const {
    json[name] = value ? nlohmann::ordered_json(*value) : nullptr;
  }
};
struct SettingFromJson {
  const nlohmann::ordered_json& json;
  template <typename T>
  void operator()(const char* name, T& value) const {
    value = json.at(name).get<T>();
  }
  template <typename T>
  void operator()(const char* name, std::optional<T>& value) const {
    value.reset();
    if (!json.at(name).is_null()) value = json.at(name).get<T>();
  }
};

// Fails with kInvalidArgument if a flag was given that says something else than
// the saved state, with kCorruption if the state does not have it.
Status CheckSettings(const nlohmann::ordered_json& saved,
                     const nlohmann::ordered_json& asked,
                     const std::set<std::string>& given);
// `each` calls a visitor for every flag. Fails with kCorruption.
template <typename Each>
Status FromSettings(const Each& each, const nlohmann::ordered_json& saved) {
  try {
    each(SettingFromJson{saved});
  } catch (const nlohmann::json::exception&) {
    return Error{ErrorCode::kCorruption, "malformed settings in the state"};
  }
  return Ok();
}

std::string_view AsText(const Key& key);
// Fails with kCorruption.
Result<Key> ReadKey(ByteReader& reader);

// What tells two encodings apart: a hash of the schema's text, which is public.
std::string SchemaPrint(const std::string& path);

// The model's part of the guarantee, and the part of the mistakes' count.
struct RunShares {
  ApproximateDp model;
  std::optional<ApproximateDp> mistakes;
};
// Fails with kInvalidArgument if --public cannot be had.
Result<RunShares> SharesOf(const RunFlags& flags);

}  // namespace sotto::app
