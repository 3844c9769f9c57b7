#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bench/baselines/player.h"
#include "bench/baselines/table_stream.h"

namespace sotto::bench {

// Always the same label, whatever comes.
class Constant final : public Player {
 public:
  explicit Constant(Label label) : label_(label) {}
  // The label with the fewest mistakes on the whole stream, known only in
  // hindsight. Requires classes.
  static Label FindBest(const TableStream& stream);

  Prediction Tell(FeatureView) override { return {label_}; }
  void Learn(FeatureView, const Label&) override {}

 private:
  Label label_;
};

// Repeats the label of the row before. At first: the negative label, class 0 or
// the number 0.
class LastLabel final : public Player {
 public:
  Prediction Tell(FeatureView) override { return {last_}; }
  void Learn(FeatureView, const Label& y) override { last_ = y; }

 private:
  Label last_;
};

// The mean of the numbers so far.
class RunningMean final : public Player {
 public:
  Prediction Tell(FeatureView) override;
  void Learn(FeatureView, const Label& y) override;

 private:
  double sum_ = 0;
  double rows_ = 0;
};

// Their median, to a thousandth of their range.
class RunningMedian final : public Player {
 public:
  // Requires numbers.
  explicit RunningMedian(const LabelType& type);
  Prediction Tell(FeatureView) override;
  void Learn(FeatureView, const Label& y) override;

 private:
  static constexpr std::size_t kCells = 1000;

  double low_;
  double width_;  // of a cell
  std::array<std::uint64_t, kCells + 1> counts_ = {};
  std::uint64_t rows_ = 0;
};

}  // namespace sotto::bench
