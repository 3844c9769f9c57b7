#pragma once

#include <cstdint>
#include <utility>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"

namespace sotto {

// A round of PrivateWinnow or DpWinnow that is open: its prediction, for its
// own user only, and the user's features. Closed once, or never; what was moved
// from is closed.
//
// Threads: a value type.
class WinnowRound {
 public:
  WinnowRound(WinnowRound&& other) noexcept { *this = std::move(other); }
  WinnowRound& operator=(WinnowRound&& other) noexcept;
  WinnowRound(const WinnowRound&) = delete;
  WinnowRound& operator=(const WinnowRound&) = delete;
  ~WinnowRound() = default;

  bool prediction = false;

  // The state holds the user's features.
  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  static Result<WinnowRound> Load(ByteReader& reader);

 private:
  friend class PrivateWinnow;
  friend class DpWinnow;
  static constexpr std::uint64_t kNotScored = ~std::uint64_t{0};

  WinnowRound(bool label, FeatureView features, double score,
              std::uint64_t releases)
      : prediction(label),
        x_(features.begin(), features.end()),
        score_(score),
        releases_(releases),
        open_(true) {}

  FeatureVector x_;
  double score_ = 0;
  std::uint64_t releases_ = kNotScored;  // before it was scored
  bool open_ = false;
};

}  // namespace sotto
