#include "sotto/learners/ensembles/ensemble_factory.h"

#include <array>
#include <limits>
#include <memory>
#include <utility>

#include "sotto/learners/best_stump_learner.h"
#include "sotto/learners/ensembles/erm_ensemble.h"
#include "sotto/learners/ensembles/interval_ensemble.h"
#include "sotto/learners/ensembles/linear_ensemble.h"
#include "sotto/learners/ensembles/point_ensemble.h"
#include "sotto/learners/ensembles/shared_ensemble.h"
#include "sotto/learners/ensembles/stump_ensemble.h"
#include "sotto/learners/ensembles/threaded_ensemble.h"
#include "sotto/learners/ensembles/threshold_ensemble.h"
#include "sotto/learners/interval_learner.h"
#include "sotto/learners/learner_entry.h"
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

// Refuses ensembles that would need more memory than the limit of linear
// ensembles, before allocating. For copies that keep a number per feature.
EnsembleFactory Limited(EnsembleFactory inner, std::uint32_t features) {
  constexpr double kBytesOfFeature = 16;  // at least
  constexpr double kMostBytes = 0x1p32;
  return [inner = std::move(inner), features](std::uint64_t generation,
                                              std::int64_t copies) -> Made {
    const double bytes =
        static_cast<double>(copies) * features * kBytesOfFeature;
    if (bytes <= kMostBytes) return inner(generation, copies);
    return InvalidArgument(std::to_string(copies) + " copies of " +
                           std::to_string(features) +
                           " features need more than 4 GiB: fewer features "
                           "(--schema, --hash-bits) or fewer copies");
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
    SOTTO_TRY_ASSIGN(auto ensemble, LinearEnsemble::Create(params));
    return std::unique_ptr<Ensemble>(
        std::make_unique<LinearEnsemble>(std::move(ensemble)));
  };
}

LinearEnsemble::Params LinearParams(const LearnerSpec& spec, LinearRule rule,
                                    const EnsembleOptions& options) {
  return {.rule = rule,
          .dimension = spec.features,
          .threads = static_cast<int>(options.threads)};
}

// A learner whose copies' votes are counted without a loop over them.
// Requires that MakeLearner has taken the spec.
struct Structure {
  std::string_view learner;
  EnsembleFactory (*make)(const LearnerSpec& spec,
                          const EnsembleOptions& options);
};

template <typename E, typename L>
EnsembleFactory OfRange(const LearnerSpec& spec, const EnsembleOptions&) {
  return Of<E>(L(spec.range));
}

EnsembleFactory OfStumps(const LearnerSpec& spec, const EnsembleOptions&) {
  return Of<StumpEnsemble<StumpLearner>>(
      StumpLearner(spec.features, spec.range));
}

EnsembleFactory OfBestStumps(const LearnerSpec& spec, const EnsembleOptions&) {
  return Of<StumpEnsemble<BestStumpLearner>>(
      BestStumpLearner(spec.features, spec.range));
}

EnsembleFactory OfErm(const LearnerSpec& spec, const EnsembleOptions&) {
  return Of<ErmEnsemble>(ErmLearner(spec.functions));
}

EnsembleFactory OfPoints(const LearnerSpec&, const EnsembleOptions&) {
  return Of<PointEnsemble<PointLearner>>(PointLearner());
}

EnsembleFactory OfShared(const LearnerSpec& spec, const EnsembleOptions&) {
  return Of<SharedEnsemble<AnyLearner>>(*MakeLearner(spec));
}

EnsembleFactory OfPerceptrons(const LearnerSpec& spec,
                              const EnsembleOptions& options) {
  return OfLinear(LinearParams(spec, PerceptronRule{}, options));
}

EnsembleFactory OfLogistics(const LearnerSpec& spec,
                            const EnsembleOptions& options) {
  const LogisticRule rule{spec.rate.value_or(LogisticRule{}.rate)};
  return OfLinear(LinearParams(spec, rule, options));
}

constexpr std::array<Structure, 10> kStructures = {{
    {"threshold",
     OfRange<ThresholdEnsemble<ThresholdLearner>, ThresholdLearner>},
    {"interval", OfRange<IntervalEnsemble<IntervalLearner>, IntervalLearner>},
    {"stump", OfStumps},
    {"best-stump", OfBestStumps},
    {"erm", OfErm},
    {"point", OfPoints},
    {"halving", OfShared},
    {"soa", OfShared},
    {"perceptron", OfPerceptrons},
    {"logistic", OfLogistics},
}};

}  // namespace

Result<EnsembleFactory> MakeEnsembleFactory(const LearnerSpec& spec,
                                            const EnsembleOptions& options) {
  if (options.threads < 1) return InvalidArgument("threads must be at least 1");
  const LearnerEntry* entry = FindLearner(spec.name);
  if (entry != nullptr && entry->program) {
    if (options.process != nullptr) return OfProcess(*options.process);
    return InvalidArgument("the learner " + spec.name +
                           " needs its running program");
  }
  // Checks the parameters for all structures below.
  SOTTO_TRY_ASSIGN(auto learner, MakeLearner(spec));
  for (const Structure& structure : kStructures) {
    if (structure.learner == spec.name) {
      return Limited(structure.make(spec, options), spec.features);
    }
  }
  return Limited(
      Of<ThreadedEnsemble<AnyLearner>>(std::move(learner), options.threads),
      spec.features);
}

}  // namespace sotto
