#include "sotto/models/pop/pop_learner.h"

#include <utility>

#include "sotto/learners/ensembles/ensemble_factory.h"
#include "sotto/models/pop/pop_request.h"

namespace sotto {
namespace {

// A learner of the host's comes with its host, and with no other.
Status CheckHost(const std::string& text, const HostLearner* host) {
  if (host != nullptr && host->text != text) {
    return FailedPrecondition("the state was made with another learner: " +
                              text);
  }
  if (host != nullptr || !IsPopHost(text)) return Ok();
  return InvalidArgument("the learner " + text +
                         " is an object of a Python program: give it there, "
                         "as sotto.Pop(learner=...)");
}

}  // namespace

Result<BaseLearner> MakeBaseLearner(const ModelRequest& request,
                                    const std::string& text,
                                    const HostLearner* host) {
  SOTTO_TRY(CheckHost(text, host));
  SOTTO_TRY_ASSIGN(auto spec, PopLearner(text, &request.inputs));
  BaseLearner learner{text, std::move(spec)};
  if (host != nullptr) learner.assumption = host->assumption;
  if (learner.spec.command.empty()) return learner;
  SOTTO_TRY_ASSIGN(learner.process,
                   ProcessLearner::Create({.command = learner.spec.command}));
  learner.assumption =
      "Assumption that cannot be checked: the copies inside the learner's "
      "program share nothing that depends on data, a prediction changes no "
      "state, and the program tells nobody else what it is told.";
  return learner;
}

Result<EnsembleFactory> MakeFactory(const ModelRequest& request,
                                    const BaseLearner& learner,
                                    const HostLearner* host) {
  if (host != nullptr) return host->copies(request.inputs);
  return MakeEnsembleFactory(learner.spec,
                             {.threads = request.settings.GetInt("threads"),
                              .process = learner.process.get()});
}

}  // namespace sotto
