#pragma once

#include "sotto/models/pop/pop_online_model.h"
#include "sotto/online/model_row.h"

namespace sotto {

// POP's row in the registry.
const OnlineRow& PopRow();

// The same for a learner that lives in the program around us; --learner must be
// host.text. There is no plain learner to compare with.
OnlineRow PopRowOver(HostLearner host);

}  // namespace sotto
