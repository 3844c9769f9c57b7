#pragma once

#include <CLI/CLI.hpp>
#include <string>

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
void AddMonitorCommand(CLI::App& app, int& exit_code);
void AddQuantileCommand(CLI::App& app, int& exit_code);

// Prints "sotto: <message>" on stderr and returns the exit code of the error.
int Report(const Error& error);

// A number as a person would write it: six significant digits, "1e-06" for
// small ones.
std::string Short(double value);
// A number with all the digits that tell it from its neighbours.
std::string Exact(double value);

}  // namespace sotto::app
