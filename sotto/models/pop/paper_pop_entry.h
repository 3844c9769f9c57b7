#pragma once

#include <memory>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/models/pop/pop_learner.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/online_model.h"
#include "sotto/online/plan.h"

namespace sotto {

// pop with --variant paper: Algorithm 7 as printed (CounterOnlineProcedure). As
// the functions of OnlineModelEntry.
//
// Threads: pure functions.
Result<std::unique_ptr<OnlineModel>> CreatePaperPop(const ModelRequest& request,
                                                    const HostLearner* host);
Result<std::unique_ptr<OnlineModel>> LoadPaperPop(const ModelRequest& request,
                                                  ByteReader& reader,
                                                  const HostLearner* host);
Result<Plan> PlanPaperPopEntry(const Settings& settings,
                               const InputSpec* inputs);

}  // namespace sotto
