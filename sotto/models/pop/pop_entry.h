#pragma once

#include "sotto/models/pop/pop_learner.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// POP's entry for a host's learner; --learner must be host.text. There is no
// plain learner to compare with.
OnlineModelEntry PopEntryOver(HostLearner host);

}  // namespace sotto
