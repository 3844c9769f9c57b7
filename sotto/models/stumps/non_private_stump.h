#pragma once

#include <cstdint>

#include "sotto/base/label.h"
#include "sotto/models/stumps/stump_table.h"
#include "sotto/online/non_private.h"

namespace sotto {

// Stumps without privacy: the threshold on one feature, in either direction,
// that gets the fewest training rows wrong. Holds them until then: four bytes a
// number.
//
// Threads: const calls may run at the same time.
class NonPrivateStump final : public NonPrivateLearner {
 public:
  explicit NonPrivateStump(std::uint32_t features) : table_(features) {}

  Label Predict(FeatureView x) const override;
  void Update(FeatureView x, const Label& y) override {
    table_.Add(x, y.positive());
  }
  void FinishTraining() override;
  void Save(ByteWriter& writer) const override;
  Status Load(ByteReader& reader) override;

  const StumpCut& cut() const { return cut_; }

 private:
  StumpTable table_;  // empty once the cut is chosen
  StumpCut cut_;
};

}  // namespace sotto
