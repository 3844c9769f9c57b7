#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/models/tide/tide_encoding.h"
#include "sotto/models/tide/tide_hypothesis.h"

namespace sotto {

// The release that a round belongs to, permanently, by its index.
enum class TidePart : std::uint8_t { kSteps, kStart, kLevel };

// True if the features are finite and sorted by index, none there twice.
bool IsProperRow(FeatureView x);

// A round of PrivateTide that is open: its answer, for its own user only, and
// the user's features, which take less memory than their coordinates. Closed
// once, or never; what was moved from is closed.
//
// Threads: a value type.
class TideRound {
 public:
  TideRound(TideRound&& other) noexcept { *this = std::move(other); }
  TideRound& operator=(TideRound&& other) noexcept {
    answer = other.answer;
    x_ = std::move(other.x_);
    part_ = other.part_;
    open_ = std::exchange(other.open_, false);
    return *this;
  }
  TideRound(const TideRound&) = delete;
  TideRound& operator=(const TideRound&) = delete;
  ~TideRound() = default;

  TideAnswer answer;

  // The state holds the user's features.
  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  static Result<TideRound> Load(ByteReader& reader);

 private:
  friend class PrivateTide;
  TideRound(TideAnswer prediction, FeatureView x, TidePart part)
      : answer(prediction), x_(x.begin(), x.end()), part_(part), open_(true) {}

  FeatureVector x_;
  TidePart part_ = TidePart::kSteps;
  bool open_ = false;
};

}  // namespace sotto
