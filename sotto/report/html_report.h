#pragma once

#include <string>

#include "sotto/report/run_report.h"

namespace sotto {

// The report of a run as one page: plots, the guarantee as plain text, the
// parameters, the plan against what happened. No scripts, nothing from outside.
// With report.public_only, nothing that only the operator may see.
std::string HtmlReport(const RunReport& report);

}  // namespace sotto
