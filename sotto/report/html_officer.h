#pragma once

#include <string>

#include "sotto/report/run_report.h"

namespace sotto {

// The first page of a report: what a privacy officer signs. Everything on it is
// public, except for the line on errors, which a report with --public leaves
// out.
std::string OfficerPage(const RunReport& report);

}  // namespace sotto
