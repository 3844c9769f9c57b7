#pragma once

#include <string>

#include "sotto/report/public_run.h"
#include "sotto/report/run_report.h"

namespace sotto {

// The plots of a page: from what anybody may see, or from the operator's view.
std::string PublicPlots(const RunFacts& facts, const PublicRun& shown);
std::string OperatorPlots(const RunReport& report);

}  // namespace sotto
