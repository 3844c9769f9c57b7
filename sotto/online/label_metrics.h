#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/label.h"
#include "sotto/base/result.h"

namespace sotto {

// Confusion matrix and area under the ROC curve of predictions whose labels are
// known. The operator's own view.
//
//   LabelMetrics metrics;
//   metrics.Add(prediction, probability, y, type);
//   metrics.Count(1, 0);   // positive rows that were predicted negative
//   metrics.Auc();
//
// Probabilities are counted in 256 bins, even on the scale of log odds, and two
// rows of one bin count as equal: the area is off by at most half the chance
// that a positive and a negative row share a bin.
//
// Threads: a value type.
class LabelMetrics {
 public:
  // With more classes there is no matrix.
  static constexpr std::uint32_t kMostClasses = 64;

  // Nothing for labels that are numbers.
  void Add(const Label& prediction, std::optional<double> probability,
           const Label& y, const LabelType& type);

  // 0 if there is no matrix.
  std::uint32_t classes() const { return classes_; }
  // Rows with this label and this prediction, by their places.
  std::uint64_t Count(std::uint32_t y, std::uint32_t prediction) const;
  std::uint64_t labelled() const;
  // The area, for two labels with probabilities, if both labels came.
  std::optional<double> Auc() const;

  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  static Result<LabelMetrics> Load(ByteReader& reader, const LabelType& type);

  friend bool operator==(const LabelMetrics&, const LabelMetrics&) = default;

 private:
  static constexpr std::size_t kBins = 256;
  using Bins = std::array<std::uint64_t, kBins>;

  static std::uint32_t CountedClasses(const LabelType& type);

  std::uint32_t classes_ = 0;
  std::vector<std::uint64_t> confusion_;  // by label and prediction
  std::vector<Bins> bins_;                // of negative and positive rows
};

}  // namespace sotto
