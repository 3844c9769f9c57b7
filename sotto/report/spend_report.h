#pragma once

#include <string>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/json.h"

namespace sotto {

// Where the budget of a guarantee goes: its parts (sotto/accounting/spend.h),
// known before any data, and public.
//
//   json["parts"] = SpendJson(guarantee);
//   text += SpendText(guarantee);
//
// Threads: pure functions.

// The tree of parts: "name", "rule" ("alone", "sum", "max" or "joint"),
// "epsilon" and "delta" of all its steps, "steps", "noise" ("kind", "scale",
// "sensitivity") and "parts". Null for a guarantee without parts.
Json SpendJson(const Guarantee& guarantee);

// One line of the table a privacy officer reads.
struct SpendLine {
  int depth = 0;  // 0: the whole
  std::string name;
  std::string how;  // "sum of", "largest of", "together", or empty
  std::string epsilon;
  std::string delta;
  std::string noise;  // "laplace, scale 4, sensitivity 1", or empty
};
std::vector<SpendLine> SpendTable(const Guarantee& guarantee);

// The table as text, with a heading; empty for a guarantee without parts.
std::string SpendText(const Guarantee& guarantee);

}  // namespace sotto
