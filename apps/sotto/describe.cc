#include "describe.h"

#include <limits>
#include <string>
#include <utility>

namespace sotto::app {
namespace {

const char* ToString(OptionType type) {
  switch (type) {
    case OptionType::kFlag:
      return "flag";
    case OptionType::kWhole:
      return "integer";
    case OptionType::kReal:
      return "number";
    case OptionType::kText:
      return "text";
  }
  return "text";
}

Json Describe(const Option& option) {
  Json json = Json::Object{{"name", option.name},
                           {"type", ToString(option.type)},
                           {"help", option.help},
                           {"common", option.common},
                           {"required", option.required}};
  if (option.letter != '\0') json["letter"] = std::string(1, option.letter);
  if (!option.fallback.empty()) json["default"] = option.fallback;
  if (!option.value.empty()) json["value"] = option.value;
  if (!option.group.empty()) json["group"] = option.group;
  const bool number =
      option.type == OptionType::kWhole || option.type == OptionType::kReal;
  if (number) {
    json["low"] = option.low;
    json["above"] = option.above;
    if (option.high < std::numeric_limits<double>::max()) {
      json["high"] = option.high;
    }
  }
  for (const std::string_view word : option.words) json["words"].Add(word);
  return json;
}

}  // namespace

Json Describe(const Command& command) {
  Json json = Json::Object{{"name", command.name}, {"help", command.help}};
  if (!command.group.empty()) json["group"] = command.group;
  if (!command.footer.empty()) json["footer"] = command.footer;
  if (!command.argument.empty()) json["argument"] = command.argument;
  json["options"] = Json::Array{};
  for (const Option& option : command.options) {
    json["options"].Add(Describe(option));
  }
  json["commands_are"] = command.commands_are;
  json["commands"] = Json::Array{};
  for (const Command& nested : command.commands) {
    json["commands"].Add(Describe(nested));
  }
  return json;
}

}  // namespace sotto::app
