#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sotto/audit/classifier.h"
#include "sotto/audit/games/view.h"

namespace sotto {

// Features of a transcript, each with kBins bins; events are sets of bins.
// Fitted on games that are not counted, then fixed, so that counts of different
// machines can be added.
//
//   TranscriptFeatures readings = TranscriptFeatures::Fit(zero, one);
//   TranscriptFeatures::Bins bins = readings.Of(view);
//
// Threads: const calls may run at the same time.
class TranscriptFeatures {
 public:
  static constexpr std::size_t kBins = 1024;
  enum Reading : std::uint8_t {
    kPattern,     // a hash of the whole transcript
    kLength,      // rounds until the end
    kSum,         // of the answers
    kLast,        // answer
    kFirst,       // answer that was not 0, and when
    kTail,        // how long the answer had been the same, at the end
    kBalance,     // how many more answers were positive than were not
    kClassifier,  // score of a trained classifier
    kCount,
  };
  using Bins = std::array<std::uint16_t, kCount>;

  // With `trained`, also the classifier's reading, which is expensive. Without
  // it that reading is always bin 0.
  static TranscriptFeatures Fit(std::span<const View> zero,
                                std::span<const View> one, bool trained);

  Bins Of(const View& view) const;

  // A hash of everything that was fitted: counts of two machines may be added
  // if it is the same on both.
  std::uint64_t Fingerprint() const;

  static std::string_view Name(Reading reading);
  // Text that describes the transcripts of a bin.
  std::string Describe(Reading reading, std::size_t bin) const;
  // True if neighbouring bins mean nearly the same.
  static bool Ordered(Reading reading) { return reading != kPattern; }

 private:
  // Bin i of an ordered reading begins at low + i * width.
  struct Scale {
    double low = 0;
    double width = 1;
  };

  std::array<double, kCount> Numbers(const View& view) const;

  bool trained_ = false;
  Classifier classifier_;
  std::array<Scale, kCount> scales_ = {};
};

}  // namespace sotto
