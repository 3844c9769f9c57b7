#include "command.h"

#include <charconv>
#include <cstdio>

#include "sotto/base/rational.h"

namespace sotto::app {

std::set<std::string> GivenFlags(const CLI::App& command) {
  std::set<std::string> given;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    for (const std::string& name : option->get_lnames()) given.insert(name);
  }
  return given;
}

int Report(const Error& error) {
  std::fprintf(stderr, "sotto: %s\n", error.message.c_str());
  return error.code == ErrorCode::kInvalidArgument ||
                 error.code == ErrorCode::kCorruption
             ? kUsage
             : kFailed;
}

std::string Quote(std::string_view line) {
  std::string text = "'";
  for (const char c : line.substr(0, 40)) {
    text += c >= ' ' && c <= '~' ? c : '?';
  }
  return text + (line.size() > 40 ? "...'" : "'");
}

void AllowScientific(CLI::Option& option) {
  option.transform(CLI::Validator(
      [](std::string& text) -> std::string {
        if (text == "0") return "";
        const auto number = ParseRational(text);
        if (!number || number->denominator() != 1) {
          return "'" + text + "' is not a whole number";
        }
        text = std::to_string(number->numerator());
        return "";
      },
      "", "whole number"));
}

std::string Exact(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  return {text, end};
}

}  // namespace sotto::app
