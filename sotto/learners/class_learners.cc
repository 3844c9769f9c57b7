#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sotto/learners/agnostic_learner.h"
#include "sotto/learners/erm_learner.h"
#include "sotto/learners/learner_entry.h"
#include "sotto/learners/learner_keys.h"
#include "sotto/learners/version_space_learner.h"

namespace sotto {
namespace {

// A learner of a finite class that keeps the class alive.
template <SavableLearner L>
class WithClass {
 public:
  WithClass(std::shared_ptr<const FiniteClass> functions, L learner)
      : functions_(std::move(functions)), learner_(std::move(learner)) {}

  bool Predict(FeatureView x) const { return learner_.Predict(x); }
  void Update(FeatureView x, bool y) { learner_.Update(x, y); }
  void Save(ByteWriter& out) const { learner_.Save(out); }
  Status Load(ByteReader& in) { return learner_.Load(in); }

 private:
  std::shared_ptr<const FiniteClass> functions_;
  L learner_;
};

Error NeedsClass(const LearnerSpec& spec) {
  return InvalidArgument(spec.name + " needs a class");
}

template <typename L>
Result<AnyLearner> MakeOfClass(const LearnerSpec& spec) {
  if (!spec.functions) return NeedsClass(spec);
  return AnyLearner(WithClass(spec.functions, L(spec.functions.get())));
}

Result<AnyLearner> MakeSoa(const LearnerSpec& spec) {
  if (!spec.functions) return NeedsClass(spec);
  SOTTO_TRY_ASSIGN(auto soa, SoaLearner::Create(spec.functions.get()));
  return AnyLearner(WithClass(spec.functions, std::move(soa)));
}

Result<AnyLearner> MakeErm(const LearnerSpec& spec) {
  if (!spec.functions) return NeedsClass(spec);
  return AnyLearner(ErmLearner(spec.functions));
}

LearnerFacts FactsWith(const LearnerSpec& spec, std::optional<double> bound) {
  LearnerFacts facts{.mistake_bound = bound, .one_number = true};
  if (spec.functions) facts.points = spec.functions->points();
  return facts;
}

LearnerFacts HalvingFacts(const LearnerSpec& spec) {
  if (!spec.functions) return FactsWith(spec, {});
  return FactsWith(spec, std::bit_width(spec.functions->size()) - 1);
}

LearnerFacts SoaFacts(const LearnerSpec& spec) {
  if (!spec.functions) return FactsWith(spec, {});
  const auto soa = SoaLearner::Create(spec.functions.get());
  if (!soa) return FactsWith(spec, {});
  return FactsWith(spec, soa->dimension());
}

LearnerFacts ErmFacts(const LearnerSpec& spec) { return FactsWith(spec, {}); }

LearnerFacts AgnosticFacts(const LearnerSpec& spec) {
  if (!spec.functions) return FactsWith(spec, {});
  const auto size = static_cast<double>(spec.functions->size());
  return FactsWith(spec, std::log(size) / std::log(4.0 / 3));
}

}  // namespace

std::vector<LearnerEntry> ClassLearners() {
  return {{.name = "halving",
           .help = "majority of the functions that were never wrong",
           .keys = {&kClassKey},
           .facts = HalvingFacts,
           .make = MakeOfClass<HalvingLearner>},
          {.name = "soa",
           .help = "optimal learner of the class",
           .keys = {&kClassKey},
           .facts = SoaFacts,
           .make = MakeSoa},
          {.name = "agnostic",
           .help = "weighted majority of all functions of the class",
           .keys = {&kClassKey},
           .facts = AgnosticFacts,
           .make = MakeOfClass<AgnosticLearner>},
          {.name = "erm",
           .help = "function of the class with the fewest errors",
           .keys = {&kClassKey},
           .facts = ErmFacts,
           .make = MakeErm}};
}

}  // namespace sotto
