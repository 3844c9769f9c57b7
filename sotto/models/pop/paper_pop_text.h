#pragma once

#include <string>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/base/settings.h"
#include "sotto/learners/learner_spec.h"
#include "sotto/models/pop/counter_online_procedure.h"
#include "sotto/models/pop/paper_pop_plan.h"
#include "sotto/online/plan.h"
#include "sotto/online/verdict.h"

namespace sotto {

// Algorithm 7 as plans and reports show it.
//
// Threads: pure functions.
Json PaperPopParameters(const Settings& settings, const LearnerSpec& spec,
                        const CounterOnlineProcedure::Params& params);
std::string PaperPopNumbers(const CounterOnlineProcedure::Params& params);
// The numbers and what is expected of them, in a line.
std::string PaperPopLine(const PaperPopPlan& plan);
Verdict PaperPopVerdict(const PaperPopPlan& plan);

// That the halt will come, and that it has come.
std::string PaperPopHaltCaveat(const CounterOnlineProcedure::Params& params);
void AddHalt(const CounterOnlineProcedure& pop, Json& parameters,
             std::vector<std::string>& caveats);

// Adds the printed or the least numbers to a plan, or why there are none.
void AddPaperPopRow(const char* name, const Result<PaperPopPlan>& numbers,
                    Plan& plan);
// Adds the theorem, caveats and advice.
void AddPaperPopNotes(const PaperPopPlan& chosen,
                      const Result<PaperPopPlan>& printed, Plan& plan);

}  // namespace sotto
