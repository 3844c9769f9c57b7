#pragma once

#include "sotto/accounting/delta_schedule.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"

namespace sotto {

// {"kind":"inverse-square","total":1e-06}. Read restores the schedule.
struct DeltaScheduleJson {
  static Json Write(const DeltaSchedule& schedule);
  // Fails with kInvalidArgument.
  static Result<DeltaSchedule> Read(const Json& json);
};

}  // namespace sotto
