#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "sotto/accounting/spend.h"
#include "sotto/models/fits/private_fit.h"

// A fit that shows what the leader hands to it.

namespace sotto {

inline FitColumns OneCategory() {
  return FitColumns({{.name = "c",
                      .kind = FitColumn::Kind::kCategory,
                      .values = {"red", "blue"}}});
}

// Remembers what it was given.
class SpyFit final : public PrivateFit {
 public:
  explicit SpyFit(bool late) : late_(late) {}
  FitHypothesis Fit(const FitBatch& batch, Rng&) const override {
    batches_.push_back(batch);
    return FitHypothesis::Constant(batches_.size() % 2 == 1);
  }
  Spend spend() const override { return MakePart("spy", {1, 0}); }
  bool takes_late_labels() const override { return late_; }
  double ExpectedError(double) const override { return 0; }
  double RowsFor(double, double) const override { return 1; }
  Json parameters() const override { return {}; }
  std::string Summary() const override { return "spy"; }

  // Labels of all places of a batch.
  std::vector<int> Places(std::size_t batch) const {
    std::vector<int> places;
    for (std::size_t i = 0; i < batches_[batch].size(); ++i) {
      places.push_back(batches_[batch].label(i));
    }
    return places;
  }
  std::size_t batches() const { return batches_.size(); }
  // Places of a batch whose rows are held out of fits.
  std::vector<std::size_t> HeldOut(std::size_t batch) const {
    const FitBatch rows = batches_[batch].Only(true);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows.label(i) != FitBatch::kEmpty) places.push_back(i);
    }
    return places;
  }
  std::vector<std::size_t> public_places() const {
    std::vector<std::size_t> places;
    for (const FitBatch& batch : batches_) {
      places.push_back(batch.public_places());
    }
    return places;
  }

 private:
  bool late_;
  mutable std::vector<FitBatch> batches_;
};

// The features of a red row.
inline const FeatureVector kRed = {{0, 1}};

}  // namespace sotto
