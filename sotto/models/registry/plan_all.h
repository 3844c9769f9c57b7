#pragma once

#include <vector>

#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/ranking.h"

namespace sotto {

// Options that describe a stream before a model is chosen: the guarantee, the
// horizon, and public facts such as --label-rate, --label-noise and --drift.
const OptionTable& FactOptions();

// Public facts about streams with this schema. Fails with kInvalidArgument.
Result<InputSpec> MakeInputSpec(const Schema& schema);

// The plan of one model, with what its entry promises; `inputs` may be null.
Result<Plan> PlanModel(const OnlineModelEntry& entry, const Settings& settings,
                       const InputSpec* inputs);
Result<Plan> PlanModel(const BatchModelEntry& entry, const Settings& settings);

// Returns a plan of every model for the same facts, the most promising first.
// `facts` has FactOptions at least; `inputs` may be null.
std::vector<NamedPlan> PlanAll(const Settings& facts, const InputSpec* inputs);

// All that was said in `facts` and that a model with this table understands,
// and what suits the stream where nothing was said.
Result<Settings> SettingsFor(const OnlineModelEntry& entry, OptionTable table,
                             const Settings& facts, const InputSpec* inputs);

}  // namespace sotto
