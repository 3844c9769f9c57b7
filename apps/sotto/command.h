#pragma once

#include <string>
#include <string_view>

#include "sotto/base/result.h"

namespace sotto::app {

// Exit codes every command uses; an argument library's own are mapped to these.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;  // wrong usage or bad input

// Prints "sotto: <message>" on stderr and returns the exit code of the error.
int Report(const Error& error);

// A private line as an error message may show it: at most 40 characters, what a
// terminal would act on replaced.
std::string Quote(std::string_view line);

// A number with all the digits that tell it from its neighbours.
std::string Exact(double value);

}  // namespace sotto::app
