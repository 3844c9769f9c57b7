#pragma once

#include <string>

#include "sotto/base/json.h"
#include "sotto/data/tables/fit_result.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// All that is said at the end of a fit.
struct FitReport {
  std::string model;
  FitResult fitted;
  double seconds = 0;
  bool seeded = false;  // the noise is known to anyone
};

// The keys that stay stable are in docs/formats/report.md. What is not covered
// by the guarantee is named in it. Where the number of rows is a secret it is
// left out.
Json FitJson(const FitReport& report);
// The learned model as human-readable text.
std::string FitText(const FitReport& report);
// The notes beside it: on rows that could not be used, which is the operator's
// own view, and the privacy statement.
std::string FitNotes(const FitReport& report);
// Must be said whatever else is not; empty if the fit is private.
std::string FitWarning(const FitReport& report);

}  // namespace sotto
