#pragma once

#include "sotto/models/pop/pop_online_model.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// POP's row in the registry.
const OnlineModelEntry& PopEntry();

// The same for a learner that lives in the program around us; --learner must be
// host.text. There is no plain learner to compare with.
OnlineModelEntry PopRowOver(HostLearner host);

}  // namespace sotto
