#include "sotto/audit/model_games.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

namespace sotto {
namespace {

struct Small {
  const char* option;
  const char* value;
};
constexpr Small kSmall[] = {
    {"anyway", "true"},      {"features", "1"},   {"horizon", "64"},
    {"training-rows", "24"}, {"copies", "8"},     {"teachers", "8"},
    {"reports", "6"},        {"gap", "4"},        {"phase-rounds", "16"},
    {"first-epoch", "6"},    {"start-rows", "6"}, {"class", "thresholds:2"},
    {"limit", "2"},          {"changes", "4"},    {"rules", "2"},
};

// Skips options about files.
Status TakeExample(std::string_view example, Settings& settings) {
  std::istringstream words{std::string(example)};
  std::string word;
  while (words >> word) {
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(2);
    const Option* option = FindOption(settings.table(), name);
    if (option == nullptr) continue;
    std::string value = "true";
    if (option->type != OptionType::kFlag) words >> value;
    SOTTO_TRY(settings.Set(name, value));
  }
  return Ok();
}

// Hash of a text.
std::int64_t Print(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return static_cast<std::int64_t>(hash >> 44);
}

void Collect(const Json& json, std::size_t most,
             std::vector<std::int64_t>& numbers) {
  constexpr double kThousandths = 1000;
  constexpr double kMost = 1e9;
  if (numbers.size() == most) return;
  if (json.object() != nullptr) {
    for (const auto& [name, value] : *json.object()) {
      if (name == "guarantee" || name == "rounds") continue;
      Collect(value, most, numbers);
    }
  } else if (json.array() != nullptr) {
    for (const Json& value : *json.array()) Collect(value, most, numbers);
  } else if (json.text() != nullptr) {
    numbers.push_back(Print(*json.text()));
  } else if (json.boolean()) {
    numbers.push_back(*json.boolean() ? 1 : 0);
  } else if (const auto number = json.number()) {
    numbers.push_back(
        std::llround(std::clamp(kThousandths * *number, -kMost, kMost)));
  }
}

}  // namespace

Result<Settings> SmallSettings(const OptionTable& table,
                               std::string_view example,
                               const AuditRequest& request) {
  Settings settings(table);
  SOTTO_TRY(TakeExample(example, settings));
  for (const Small& small : kSmall) {
    if (FindOption(settings.table(), small.option) == nullptr) continue;
    Status set = settings.Set(small.option, small.value);
    if (!set) return set.error();
  }
  Status set = settings.SetJson("epsilon", Json(request.epsilon.value_or(2)));
  if (set) set = settings.SetJson("delta", Json(request.delta.value_or(0.01)));
  if (!set) return set.error();
  return settings;
}

std::vector<std::int64_t> PublishedNumbers(const Json& published,
                                           std::size_t most) {
  std::vector<std::int64_t> numbers;
  Collect(published, most, numbers);
  return numbers;
}

}  // namespace sotto
