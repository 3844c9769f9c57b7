#pragma once

#include <string_view>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/learners/learner_spec.h"
#include "sotto/models/pop/pop_plan.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// What options say together, where no single one is wrong. Fails with
// kInvalidArgument.
Status CheckPop(const Settings& settings);

// What --learner is if nobody says: logistic regression for a table of several
// columns, thresholds for one number and for all else.
inline constexpr std::string_view kPopAnyLearner = "auto";

// What --learner begins with if it is an object of the program around us,
// which alone can bring it (HostLearner).
inline constexpr std::string_view kPopHost = "python:";
inline bool IsPopHost(std::string_view text) {
  return text.starts_with(kPopHost);
}

// The learner that `text` names. With `inputs` it knows its number of features,
// and fails with kInvalidArgument if the stream has another or none.
Result<LearnerSpec> PopLearner(std::string_view text, const InputSpec* inputs);

// Whether the learner looks at all there is; --anyway allows that it does not.
// Fails with kInvalidArgument.
Status CheckColumns(const Settings& settings, const LearnerSpec& spec,
                    const InputSpec* inputs);

// How rows must be read for the learner of --learner. Fails with
// kInvalidArgument.
Status PrepareForLearner(const Settings& settings, ReaderParams& request);

// What the planner is asked, with this part of epsilon and delta.
PopPlanRequest MakePopRequest(const Settings& settings, const LearnerSpec& spec,
                              const ApproximateDp& share);

// The guarantee in the terms that were asked for: the same numbers hold for
// rounds replaced and for rounds left empty.
Result<Guarantee> PopPromise(const Settings& settings,
                             const Guarantee& guarantee);

}  // namespace sotto
