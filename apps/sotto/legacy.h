#pragma once

#include <CLI/CLI.hpp>
#include <set>
#include <string>

#include "command.h"

// Commands that are not yet rows of the table in main.cc.
namespace sotto::app {

void AddAccountCommand(CLI::App& app, int& exit_code);
void AddCountCommand(CLI::App& app, int& exit_code);
void AddFitCommand(CLI::App& app, int& exit_code);
void AddMonitorCommand(CLI::App& app, int& exit_code);
void AddPlanCommand(CLI::App& app, int& exit_code);
void AddPredictCommand(CLI::App& app, int& exit_code);
void AddQuantileCommand(CLI::App& app, int& exit_code);
void AddRunCommand(CLI::App& app, int& exit_code);
void AddShowCommand(CLI::App& app, int& exit_code);

// The names of the flags that were given, without dashes.
std::set<std::string> GivenFlags(const CLI::App& command);

// Lets a whole-number flag be written 1000000, 1e6 or 2.5e3.
void AllowScientific(CLI::Option& option);

// Calls one of them, named by argv[1].
int CallLegacy(int argc, char** argv);

}  // namespace sotto::app
