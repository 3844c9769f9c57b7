#pragma once

#include <string>
#include <vector>

#include "sotto/audit/program/program_audit.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"

namespace sotto {

// Options of the audit of a whole program.
const OptionTable& ProgramAuditOptions();

// The audit of the program that `command` starts; `text` is the stream of
// --data. Fails with kInvalidArgument.
Result<ProgramAudit> MakeProgramAudit(const Settings& settings,
                                      const std::vector<std::string>& command,
                                      const std::string& text);

}  // namespace sotto
