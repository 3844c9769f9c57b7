#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/label.h"
#include "sotto/base/result.h"
#include "sotto/base/round.h"
#include "sotto/online/non_private.h"

namespace sotto {

// The same learner without privacy on the same rounds, with labels when they
// come: what privacy costs. The operator's own view.
//
//   Comparison plain(NonPrivateOver(learner), label_delay);
//   plain.Play(round);   // after the model has
//   plain.mistakes();    // on labelled rounds, as RunStats::Point::mistakes
//   plain.Open(ticket, round, number), plain.Close(ticket, y);
//
// Of a model with a training set the learner learns from that alone, as the
// model does: Train(row) for each row, then FinishTraining().
//
// Threads: not thread-safe.
class Comparison {
 public:
  // Source of its lessons.
  enum class Lessons : std::uint8_t { kStream, kTrainingSet };

  // Labels are learned after this many further rounds, empty ones included.
  Comparison(std::unique_ptr<NonPrivateLearner> learner,
             std::uint64_t label_delay, Lessons lessons = Lessons::kStream)
      : learner_(std::move(learner)),
        label_delay_(label_delay),
        lessons_(lessons) {}

  void Train(const Round& row);
  void FinishTraining() { learner_->FinishTraining(); }
  void Play(const Round& round);
  // A round whose label comes by ticket, with its features, and the label. Of
  // rounds opened `lifetime` rounds before `number` no label comes any more; 0:
  // it always may.
  void Open(const std::string& ticket, FeatureView x, std::uint64_t number,
            std::uint64_t lifetime);
  void Close(std::string_view ticket, const Label& y);

  std::uint64_t mistakes() const { return mistakes_; }
  // Sum of absolute errors, for labels that are numbers.
  double error() const { return error_; }

  void Save(ByteWriter& writer) const;
  // Into a fresh one. Fails with kCorruption.
  Status Load(ByteReader& reader);
  // The part that states of earlier versions do not have: rounds open by ticket
  // and the error of numbers.
  void SaveLater(ByteWriter& writer) const;
  Status LoadLater(ByteReader& reader);

 private:
  struct PendingUpdate {
    FeatureVector x = {};  // empty if there is nothing to learn
    std::optional<Label> y = {};
  };
  struct OpenRow {
    std::uint64_t number = 0;
    FeatureVector x = {};
    Label prediction = {};
  };

  void Count(const Label& prediction, const Label& y);
  void Learn(FeatureView x, const Label& y);
  static void Write(const PendingUpdate& lesson, ByteWriter& writer);
  static std::optional<PendingUpdate> Read(ByteReader& reader);

  std::unique_ptr<NonPrivateLearner> learner_;
  std::uint64_t label_delay_;
  Lessons lessons_;
  std::uint64_t mistakes_ = 0;
  double error_ = 0;
  std::deque<PendingUpdate> waiting_;
  std::map<std::string, OpenRow, std::less<>> open_;
  std::deque<std::pair<std::uint64_t, std::string>> tickets_;  // by number
};

}  // namespace sotto
