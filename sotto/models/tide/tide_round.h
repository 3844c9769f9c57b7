#pragma once

#include <utility>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/models/tide/tide_encoding.h"
#include "sotto/models/tide/tide_hypothesis.h"

namespace sotto {

// A round of PrivateTide that is open: its answer, for its own user only, and
// the user's row. Closed once, or never; what was moved from is closed.
//
// Threads: a value type.
class TideRound {
 public:
  TideRound(TideRound&& other) noexcept { *this = std::move(other); }
  TideRound& operator=(TideRound&& other) noexcept {
    answer = other.answer;
    row_ = std::move(other.row_);
    in_start_ = other.in_start_;
    open_ = std::exchange(other.open_, false);
    return *this;
  }
  TideRound(const TideRound&) = delete;
  TideRound& operator=(const TideRound&) = delete;
  ~TideRound() = default;

  TideAnswer answer;

  // The state holds the user's row.
  void Save(ByteWriter& writer) const;
  // Fails with kCorruption unless the row is one of this encoding.
  static Result<TideRound> Load(const TideEncoding& encoding,
                                ByteReader& reader);

 private:
  friend class PrivateTide;
  TideRound(TideAnswer prediction, std::vector<TideFeature> row, bool in_start)
      : answer(prediction),
        row_(std::move(row)),
        in_start_(in_start),
        open_(true) {}

  std::vector<TideFeature> row_;
  bool in_start_ = false;  // among the first rows, permanently
  bool open_ = false;
};

}  // namespace sotto
