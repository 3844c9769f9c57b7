#include "legacy.h"

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

int CallLegacy(int argc, char** argv) {
  CLI::App app("", "sotto");
  int exit_code = kDone;
  AddAccountCommand(app, exit_code);
  AddCountCommand(app, exit_code);
  AddFitCommand(app, exit_code);
  AddMonitorCommand(app, exit_code);
  AddPlanCommand(app, exit_code);
  AddPredictCommand(app, exit_code);
  AddQuantileCommand(app, exit_code);
  AddRunCommand(app, exit_code);
  AddShowCommand(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const std::string name = std::string("sotto ") + argv[1];
    std::fprintf(stderr, "%s: %s\nTry '%s --help'.\n", name.c_str(),
                 error.what(), name.c_str());
    return kUsage;
  }
  return exit_code;
}

}  // namespace sotto::app
