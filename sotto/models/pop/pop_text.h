#pragma once

#include <string>
#include <string_view>

#include "sotto/base/json.h"
#include "sotto/base/settings.h"
#include "sotto/learners/learner_spec.h"
#include "sotto/models/pop/pop_plan.h"
#include "sotto/models/pop/pop_schedule.h"

namespace sotto {

// POP's numbers, all of them public, for reports and for people.

Json PopParameters(const Settings& settings, const LearnerSpec& spec,
                   const PopSchedule& schedule);

// "4,501 copies, noise scale 205, ..." for the first phase, and how many there
// are.
std::string Summary(const PopSchedule& schedule);
std::string_view ToString(PhaseEnd handover);

// Parts of a plan that other plans do not have, for people and for machines.
std::string PopPlanTable(const PopPlan& plan);
Json PopPlanMore(const LearnerSpec& spec, const PopPlan& plan);

}  // namespace sotto
