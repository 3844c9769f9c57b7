#pragma once

#include <functional>
#include <string>

#include "sotto/base/result.h"
#include "sotto/learners/ensembles/ensemble.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// A learner of the host program, such as a Python object.
//
// Threads: a value type; its copies are made and asked by one thread at a time.
struct HostLearner {
  // As in --learner, reports and states: kPopHost and a name.
  std::string text;
  // A sentence under the guarantee: the assumption that cannot be checked.
  std::string assumption;
  std::function<Result<EnsembleFactory>(const InputSpec& inputs)> copies;
};

// POP's entry for a host's learner; --learner must be host.text. There is no
// plain learner to compare with.
OnlineModelEntry PopEntryOver(HostLearner host);

}  // namespace sotto
