#pragma once

#include <string>

#include "sotto/report/run_report.h"

namespace sotto {

// The part of a page that shows what was published over time: anybody may see
// it. Empty if nothing was.
std::string PublishedOverTime(const RunReport& report);

}  // namespace sotto
