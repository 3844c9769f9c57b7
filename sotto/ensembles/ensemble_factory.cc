#include "sotto/ensembles/ensemble_factory.h"

#include <limits>
#include <memory>
#include <utility>

#include "sotto/ensembles/interval_ensemble.h"
#include "sotto/ensembles/linear_ensemble.h"
#include "sotto/ensembles/point_ensemble.h"
#include "sotto/ensembles/shared_ensemble.h"
#include "sotto/ensembles/stump_ensemble.h"
#include "sotto/ensembles/threaded_ensemble.h"
#include "sotto/ensembles/threshold_ensemble.h"
#include "sotto/learners/interval_learner.h"
#include "sotto/learners/point_learner.h"
#include "sotto/learners/stump_learner.h"
#include "sotto/learners/threshold_learner.h"

namespace sotto {
namespace {

using Made = Result<std::unique_ptr<Ensemble>>;

// Shared by all: the state of a copy has a number of 32 bits in some of them.
Status CheckCopies(std::int64_t copies) {
  if (copies < 1 || copies > std::numeric_limits<std::int32_t>::max()) {
    return InvalidArgument("an ensemble has 1 to 2147483647 copies");
  }
  return Ok();
}

// Ensembles of type E over copies of `fresh`.
template <typename E, typename L, typename... Rest>
EnsembleFactory Of(L fresh, Rest... rest) {
  return [fresh = std::move(fresh), rest...](std::uint64_t,
                                             std::int64_t copies) -> Made {
    const Status fits = CheckCopies(copies);
    if (!fits) return fits.error();
    return std::unique_ptr<Ensemble>(
        std::make_unique<E>(fresh, copies, rest...));
  };
}

EnsembleFactory OfProcess(ProcessLearner& process) {
  return [&process](std::uint64_t generation, std::int64_t copies) -> Made {
    const Status fits = CheckCopies(copies);
    if (!fits) return fits.error();
    return process.NewEnsemble(generation, copies);
  };
}

EnsembleFactory OfLinear(LinearEnsemble::Params params) {
  return [params](std::uint64_t, std::int64_t copies) mutable -> Made {
    params.copies = copies;
    auto ensemble = LinearEnsemble::Create(params);
    if (!ensemble) return ensemble.error();
    return std::unique_ptr<Ensemble>(
        std::make_unique<LinearEnsemble>(*std::move(ensemble)));
  };
}

LinearEnsemble::Params LinearParams(const LearnerSpec& spec, LinearRule rule,
                                    const EnsembleOptions& options) {
  return {.rule = rule,
          .dimension = spec.features,
          .threads = static_cast<int>(options.threads)};
}

}  // namespace

Result<EnsembleFactory> MakeEnsembleFactory(const LearnerSpec& spec,
                                            const EnsembleOptions& options) {
  if (options.threads < 1) return InvalidArgument("threads must be at least 1");
  if (spec.name == "exec") {
    if (options.process != nullptr) return OfProcess(*options.process);
    return InvalidArgument("the learner exec needs its running program");
  }
  // Checks the parameters, whoever uses them below.
  auto learner = MakeLearner(spec);
  if (!learner) return learner.error();
  if (spec.name == "threshold") {
    return Of<ThresholdEnsemble<ThresholdLearner>>(
        ThresholdLearner(spec.range));
  }
  if (spec.name == "interval") {
    return Of<IntervalEnsemble<IntervalLearner>>(IntervalLearner(spec.range));
  }
  if (spec.name == "stump") {
    return Of<StumpEnsemble<StumpLearner>>(
        StumpLearner(spec.features, spec.range));
  }
  if (spec.name == "point") {
    return Of<PointEnsemble<PointLearner>>(PointLearner());
  }
  if (spec.name == "halving" || spec.name == "soa") {
    return Of<SharedEnsemble<AnyLearner>>(*std::move(learner));
  }
  if (spec.name == "perceptron") {
    return OfLinear(LinearParams(spec, PerceptronRule{}, options));
  }
  if (spec.name == "logistic") {
    const LogisticRule rule{spec.rate.value_or(LogisticRule{}.rate)};
    return OfLinear(LinearParams(spec, rule, options));
  }
  return Of<ThreadedEnsemble<AnyLearner>>(*std::move(learner), options.threads);
}

}  // namespace sotto
