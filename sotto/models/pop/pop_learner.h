#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sotto/base/result.h"
#include "sotto/learners/ensembles/ensemble.h"
#include "sotto/learners/ensembles/process_learner.h"
#include "sotto/learners/learner_spec.h"
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

// The learner under pop, as its user wrote it, byte for byte.
struct BaseLearner {
  std::string text;
  LearnerSpec spec;
  // Its program, if it is one. Ensembles point at it.
  std::unique_ptr<ProcessLearner> process = nullptr;
  std::string assumption = {};  // that cannot be checked, if there is one
};

// The learner that `text` names; a host's learner comes with its host, and with
// no other. Fails with kInvalidArgument or kFailedPrecondition, and as its
// program does.
Result<BaseLearner> MakeBaseLearner(const ModelRequest& request,
                                    const std::string& text,
                                    const HostLearner* host);

// Its copies. The learner must outlive the factory and its ensembles.
Result<EnsembleFactory> MakeFactory(const ModelRequest& request,
                                    const BaseLearner& learner,
                                    const HostLearner* host);

}  // namespace sotto
