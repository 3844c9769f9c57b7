#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/label.h"
#include "sotto/base/result.h"
#include "sotto/base/round.h"
#include "sotto/online/label_metrics.h"

namespace sotto {

// The counts of a session so far, over all its parts if it was stopped and
// resumed. Every round counts, whatever became of it.
//
//   RunStats stats;
//   stats.Add(round, type);
//   stats.AddDelayedLabel(prediction, probability, label, type);
//
// The operator's own view, but for now.rounds, now.shown, the rounds of
// phase_ends and trace, and halted_at: those are functions of what is public
// (report/report.md).
//
// A *labelled* round is one that was answered and whose label is known. Every
// average, here and in all reports, is over labelled rounds.
//
// Threads: a value type.
struct RunStats {
  // The counts after a number of rounds.
  struct Point {
    std::uint64_t rounds = 0;
    std::uint64_t labelled = 0;
    std::uint64_t mistakes = 0;  // 0 if labels are numbers
    double error = 0;            // of numbers: the sum of absolute errors
    std::uint64_t paid = 0;      // empty rounds, too, may be paid for
    std::int64_t shown = 0;      // the private estimate of the mistakes
    friend bool operator==(const Point&, const Point&) = default;
  };
  // The cost of two rules that learn nothing of the features, on the labelled
  // rounds, in the order in which labels came: mistakes, or the sum of absolute
  // errors. Before the first label they predict the first of the labels, or the
  // middle of the range.
  struct Baselines {
    double majority = 0;    // the most frequent label so far; the mean so far
    double last_label = 0;  // the label before
    friend bool operator==(const Baselines&, const Baselines&) = default;
  };
  // The log loss of two labels, on labelled rounds that had a probability.
  struct LogLoss {
    std::uint64_t rounds = 0;
    double sum = 0;
    friend bool operator==(const LogLoss&, const LogLoss&) = default;
  };

  // The calibration of two labels, on the same rounds, by tenths of the
  // probability: the predicted and the observed frequency.
  struct CalibrationBin {
    std::uint64_t rounds = 0;
    std::uint64_t positive = 0;
    double said = 0;  // the sum of the probabilities
    friend bool operator==(const CalibrationBin&,
                           const CalibrationBin&) = default;
  };
  // Counts of rounds that are marked as honest and whose label came with them.
  struct Honest {
    std::uint64_t labelled = 0;
    std::uint64_t mistakes = 0;
    friend bool operator==(const Honest&, const Honest&) = default;
  };

  // Answers from what is published, to users over the limit: of `refused`
  // rounds, and in no other count.
  struct FreeAnswers {
    std::uint64_t answered = 0;
    std::uint64_t labelled = 0;
    std::uint64_t mistakes = 0;
    double error = 0;  // of numbers: the sum of absolute errors
    friend bool operator==(const FreeAnswers&, const FreeAnswers&) = default;
  };

  Point now;
  std::uint64_t answered = 0;
  std::uint64_t absent = 0;
  std::uint64_t unusable = 0;
  std::uint64_t refused = 0;
  FreeAnswers free;
  LabelMetrics metrics;
  Baselines baselines;
  LogLoss log_loss;
  std::array<CalibrationBin, 10> reliability = {};
  Honest honest;
  // The rounds before the model halted.
  std::optional<std::uint64_t> halted_at;
  // After rounds 1, 2, 3, ..., 100 and then in steps of 1 %.
  std::vector<Point> trace;
  static constexpr std::uint64_t NextPoint(std::uint64_t last) {
    return last + last / 100 + 1;
  }
  // Element p: when phase p had ended and before the first round of the next.
  std::vector<Point> phase_ends;

  // A round that has been played. `shown` is the private estimate of the
  // mistakes after it, if there is one.
  void Add(const Round& round, const LabelType& type, std::int64_t shown = 0);
  // The label of a round that was added without one and was answered. Once for
  // each such round.
  void AddDelayedLabel(const Label& prediction,
                       std::optional<double> probability, const Label& y,
                       const LabelType& type);
  // The model has halted with the last round added. Only the first call counts.
  void Halt();

  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  static Result<RunStats> Load(ByteReader& reader, const LabelType& type);
  // The counts that states of earlier versions do not have: `free` and
  // `metrics`. They stand at the end of a state.
  void SaveLater(ByteWriter& writer) const;
  Status LoadLater(ByteReader& reader, const LabelType& type);

  friend bool operator==(const RunStats&, const RunStats&) = default;

 private:
  // The state of the baselines.
  std::vector<std::uint64_t> frequency_;  // of each class; empty for numbers
  double sum_ = 0;                        // of numbers
  std::optional<Label> last_;

  Label MostFrequent(const LabelType& type) const;
  void AddProbability(double probability, bool positive);
  void AddBaselines(const Label& y, const LabelType& type);
  void AddFree(const Round& round, const LabelType& type);
  bool MakesSense(const LabelType& type) const;
};

// Returns true if the prediction differs from the label that came with the
// round. False if either is missing, and for numbers.
inline bool IsMistake(const Round& round) {
  return round.present() && round.prediction && round.y &&
         IsMistake(*round.prediction, *round.y);
}

}  // namespace sotto
