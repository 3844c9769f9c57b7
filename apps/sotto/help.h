#pragma once

#include <string>

#include "arguments.h"

namespace sotto::app {

// The text of `NAME --help`: common options, or every option with `all`
// (--help-all). A command without common options always shows all.
std::string HelpText(const Command& command, const std::string& name, bool all);

}  // namespace sotto::app
