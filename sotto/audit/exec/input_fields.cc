#include "sotto/audit/exec/input_fields.h"

#include <algorithm>
#include <cmath>

namespace sotto {

InputFields::InputFields(const Json& json) : json_(json) {
  if (json.object() == nullptr) {
    problem_ = "the move has " + json.Dump() + " where an object is expected";
  }
}

const Json* InputFields::Find(std::string_view name) {
  asked_.emplace_back(name);
  return json_.Find(name);
}

void InputFields::Expect(std::string_view name, std::string_view what) {
  if (problem_) return;
  problem_ = "the move has " + json_.Dump() + "; expected \"" +
             std::string(name) + "\" to be " + std::string(what);
}

double InputFields::Number(std::string_view name) {
  const Json* value = Find(name);
  if (value == nullptr) return 0;
  const auto number = value->number();
  if (!number || !std::isfinite(*number)) Expect(name, "a number");
  return number.value_or(0);
}

std::int64_t InputFields::GetInt(std::string_view name, std::int64_t low,
                                 std::int64_t high) {
  const Json* value = Find(name);
  if (value == nullptr) return low;
  const auto whole = value->integer();
  if (whole && *whole >= low && *whole <= high) return *whole;
  Expect(name, "a whole number from " + std::to_string(low) + " to " +
                   std::to_string(high));
  return low;
}

bool InputFields::Flag(std::string_view name) {
  const Json* value = Find(name);
  if (value == nullptr) return false;
  if (value->boolean() == nullptr) Expect(name, "true or false");
  return value->boolean() != nullptr && *value->boolean();
}

std::optional<bool> InputFields::Label(std::string_view name) {
  const Json* value = Find(name);
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (value->boolean() != nullptr) return *value->boolean();
  const auto whole = value->integer();
  if (whole && (*whole == 0 || *whole == 1)) return *whole == 1;
  Expect(name, "0 or 1");
  return std::nullopt;
}

std::optional<std::string> InputFields::Text(std::string_view name) {
  const Json* value = json_.Find(name);
  if (value == nullptr || value->text() == nullptr) return std::nullopt;
  asked_.emplace_back(name);
  return *value->text();
}

Status InputFields::Done() const {
  if (problem_) return InvalidArgument(*problem_);
  for (const auto& [name, value] : *json_.object()) {
    if (std::ranges::find(asked_, name) != asked_.end()) continue;
    return InvalidArgument("the move has " + json_.Dump() +
                           ", and nothing is known of \"" + name + "\"");
  }
  return Ok();
}

}  // namespace sotto
