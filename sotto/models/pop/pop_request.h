#pragma once

#include <string_view>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/learners/learner_spec.h"
#include "sotto/models/pop/paper_pop_plan.h"
#include "sotto/models/pop/pop_plan.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// Options of pop, beside those of all models.
const OptionTable& PopOptions();

// Options of every model over a learner of the user's choice.
Option LearnerOption();
Option ThreadsOption();
Option ComplexityOption(std::string_view help);

// Checks options that are right one by one and may contradict each other.
// Fails with kInvalidArgument.
Status CheckPop(const Settings& settings);

// Default of --learner: logistic regression for a table of several
// columns, thresholds for one number and for all else.
inline constexpr std::string_view kPopAnyLearner = "auto";

// Prefix of --learner for an object of the host program (HostLearner).
inline constexpr std::string_view kPopHost = "python:";
inline bool IsPopHost(std::string_view text) {
  return text.starts_with(kPopHost);
}

// The learner that `text` names. With `inputs` it knows its number of features,
// and fails with kInvalidArgument if the stream has another or none.
Result<LearnerSpec> PopLearner(std::string_view text, const InputSpec* inputs);

// Fails with kInvalidArgument if the learner would ignore features; --force
// allows it.
Status CheckColumns(const Settings& settings, const LearnerSpec& spec,
                    const InputSpec* inputs);

// Returns the learner of --learner for a plan. Fails with kInvalidArgument like
// the two functions above, and if the number of features it needs is unknown.
Result<LearnerSpec> LearnerForPlan(const Settings& settings,
                                   const InputSpec* inputs);

// The learner of --learner without privacy, for OnlineModelEntry::plain.
Result<std::unique_ptr<NonPrivateLearner>> MakeNonPrivate(
    const ModelRequest& request);

// How rows must be read for the learner of --learner. Fails with
// kInvalidArgument.
Status PrepareForLearner(const Settings& settings, ReaderParams& request);

// True for --variant paper, or --calibration paper: Algorithm 7 as printed.
bool IsPaperPop(const Settings& settings);
// Request to its planner, with this part of epsilon and delta.
PaperPopRequest MakePaperPopRequest(const Settings& settings,
                                    const LearnerSpec& spec,
                                    const ApproximateDp& share);

// Request to the planner, with this part of epsilon and delta.
PopPlanRequest MakePopRequest(const Settings& settings, const LearnerSpec& spec,
                              const ApproximateDp& share);

// The guarantee in the terms that were asked for: the same numbers hold for
// rounds replaced and for rounds left empty.
Result<Guarantee> PopPromise(const Settings& settings,
                             const Guarantee& guarantee);

}  // namespace sotto
