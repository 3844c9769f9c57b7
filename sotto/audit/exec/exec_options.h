#pragma once

#include <string>

#include "sotto/audit/audit.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"

namespace sotto {

// Options of the audit of a program, beside how it is played.
const OptionTable& ExecOptions();

// The game against the program that `command` starts. Fails with
// kInvalidArgument.
Result<AuditSubject> MakeExecSubject(const Settings& settings,
                                     const std::string& command);

}  // namespace sotto
