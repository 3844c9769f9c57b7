#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sotto/learners/ensembles/copies.h"
#include "sotto/learners/ensembles/ensemble.h"
#include "sotto/learners/learner.h"

namespace sotto {

// The plain loop over k copies of any learner. Every other ensemble is tested
// against this one.
//
//   NaiveEnsemble<ThresholdLearner> ensemble(learner, 900);
//   auto votes = ensemble.Votes(x);
//
// Threads: not thread-safe.
template <SavableLearner L>
class NaiveEnsemble final : public Ensemble {
 public:
  // Requires copies >= 1.
  NaiveEnsemble(const L& fresh, std::int64_t copies)
      : copies_(FreshCopies(fresh, copies)) {}

  std::int64_t copies() const override {
    return static_cast<std::int64_t>(copies_.size());
  }
  Result<std::int64_t> Votes(FeatureView x) override {
    std::int64_t votes = 0;
    for (const L& copy : copies_) votes += copy.Predict(x) ? 1 : 0;
    return votes;
  }
  Status Update(std::int64_t copy, FeatureView x, bool y) override {
    copies_[static_cast<std::size_t>(copy)].Update(x, y);
    return Ok();
  }
  Status Save(ByteWriter& out) override {
    SaveCopies<L>(copies_, out);
    return Ok();
  }
  Status Load(ByteReader& in) override { return LoadCopies<L>(copies_, in); }

 private:
  std::vector<L> copies_;
};

// A factory of such ensembles for a learner that the caller wrote:
//
//   auto pop = PrivateOnlineProcedure::Create(
//       params, MakeEnsembleFactory(MyLearner()));
template <SavableLearner L>
EnsembleFactory MakeEnsembleFactory(L fresh) {
  return [fresh = std::move(fresh)](
             std::uint64_t,
             std::int64_t copies) -> Result<std::unique_ptr<Ensemble>> {
    if (copies < 1) return InvalidArgument("an ensemble has at least one copy");
    return std::unique_ptr<Ensemble>(
        std::make_unique<NaiveEnsemble<L>>(fresh, copies));
  };
}

}  // namespace sotto
