#pragma once

#include <CLI/CLI.hpp>
#include <set>
#include <string>
#include <string_view>

#include "sotto/base/result.h"

namespace sotto::app {

// Exit codes every command uses; an argument library's own are mapped to these.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;  // wrong usage or bad input

// Each adds its command to the program; `exit_code` receives the outcome when
// the command is chosen.
void AddAccountCommand(CLI::App& app, int& exit_code);
void AddCountCommand(CLI::App& app, int& exit_code);
void AddFitCommand(CLI::App& app, int& exit_code);
void AddGenerateCommand(CLI::App& app, int& exit_code);
void AddMonitorCommand(CLI::App& app, int& exit_code);
void AddPlanCommand(CLI::App& app, int& exit_code);
void AddPredictCommand(CLI::App& app, int& exit_code);
void AddQuantileCommand(CLI::App& app, int& exit_code);
void AddRunCommand(CLI::App& app, int& exit_code);
void AddShowCommand(CLI::App& app, int& exit_code);

// The names of the flags that were given, without dashes.
std::set<std::string> GivenFlags(const CLI::App& command);

// Prints "sotto: <message>" on stderr and returns the exit code of the error.
int Report(const Error& error);

// A private line as an error message may show it: at most 40 characters, what a
// terminal would act on replaced.
std::string Quote(std::string_view line);

// Lets a whole-number flag be written 1000000, 1e6 or 2.5e3.
void AllowScientific(CLI::Option& option);

// A number with all the digits that tell it from its neighbours.
std::string Exact(double value);

}  // namespace sotto::app
