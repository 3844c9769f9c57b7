#pragma once

#include <cstddef>
#include <cstdint>

#include "sotto/base/result.h"
#include "sotto/learners/ensembles/ensemble.h"
#include "sotto/learners/ensembles/process_learner.h"
#include "sotto/learners/learner_spec.h"

namespace sotto {

struct EnsembleOptions {
  // Threads of ensembles that start their own; at least 1.
  std::size_t threads = 1;
  // For the learner `exec`, and only for it: the running program. Must outlive
  // the factory and all its ensembles.
  ProcessLearner* process = nullptr;
};

// A factory of the fastest available ensemble for a learner.
//
//   auto spec = LearnerSpec::Parse("threshold");
//   auto factory = MakeEnsembleFactory(*spec, {.threads = 2});
//   auto ensemble = (*factory)(0, 32'000);  // generation 0
//
//   auto spec = LearnerSpec::Parse("exec:./mylearner");
//   auto process = ProcessLearner::Create({.command = spec->command});
//   auto factory = MakeEnsembleFactory(*spec, {.process = process->get()});
//
// Fails with kInvalidArgument where MakeLearner fails, and if exec has no
// process. The factory fails with kInvalidArgument for fewer than 1 copy.
Result<EnsembleFactory> MakeEnsembleFactory(const LearnerSpec& spec,
                                            const EnsembleOptions& options);

}  // namespace sotto
