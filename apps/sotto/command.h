#pragma once

#include <string>

#include "sotto/base/json.h"
#include "sotto/base/result.h"

namespace sotto::app {

// Exit codes every command uses; an argument library's own are mapped to these.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;  // wrong usage or bad input
inline constexpr int kOpen = 3;   // an audit that its runs cannot decide

// The command that messages begin with, "sotto run tide"; "sotto" at first.
void NameCommand(const std::string& name);

// Prints "COMMAND: <message>" on stderr and returns the exit code of the error.
int Report(const Error& error);

// Print text, or a document on one line, on stdout. Nothing in them commands a
// terminal.
void Print(const std::string& text);
void Print(const Json& json);
// Prints the report of an operator's tool: a line for each member and for each
// object of an array, or `json`.
void PrintReport(const Json& report, bool json);
// Prints "COMMAND: <message>" on stderr, unless the message is empty.
void Warn(const std::string& message);

}  // namespace sotto::app
