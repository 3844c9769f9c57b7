#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "sotto/base/int128.h"
#include "sotto/mechanisms/ranks/online_thresholds_line.h"

namespace sotto {

// Finds where in a gap a query lies: a binary search over evenly spaced
// positions. Each step is decided by the first `votes` equal answers of tests
// with fresh noise. Public, like the line: its only input is the zones.
//
//   ThresholdSearch search(line, gap);
//   while (!search.done()) {
//     const auto zone = Zone(search.Excess(count) + noise);
//     if (zone is paid) break;
//     search.Vote(zone is above);
//   }
//
// Proof:   online_thresholds.md, steps 1 and 7.
// Threads: a value type.
class ThresholdSearch {
 public:
  // Requires line.Parts(gap) > 1.
  ThresholdSearch(const PivotLine& line, std::size_t gap)
      : gap_(gap),
        votes_(line.plan().votes),
        size_(line.Size(gap)),
        parts_(line.Parts(gap)),
        high_(parts_) {}

  bool done() const { return high_ - low_ < 2; }
  std::size_t gap() const { return gap_; }
  std::int64_t middle() const { return (low_ + high_) / 2; }

  // True if the next test counts from the left end of the gap: the nearer one,
  // so that the region charged is at most half as large.
  bool from_left() const { return 2 * middle() <= parts_; }

  // By how much the query lies above the position under test, if `count`
  // records lie between it and the end that from_left() names. Changes by at
  // most 1 when a record comes or goes.
  std::int64_t Excess(std::int64_t count) const {
    const std::int64_t place = At(middle());
    return from_left() ? count - place : size_ - count - place;
  }

  // A test that was not paid. Requires !done().
  void Vote(bool above) {
    int& stats = above ? above_ : below_;
    if (++stats < votes_) return;
    (above ? low_ : high_) = middle();
    above_ = below_ = 0;
  }

  // Records between the gap's left end and the middle of what is left, and how
  // far that reaches on either side.
  std::int64_t Estimate() const { return (At(low_) + At(high_)) / 2; }
  std::int64_t Radius() const { return (At(high_) - At(low_) + 2) / 2; }

  friend auto operator<=>(
      const ThresholdSearch&,
      // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm
      const ThresholdSearch&) = default;

 private:
  // The product may need more than 64 bits; the quotient is at most size.
  std::int64_t At(std::int64_t part) const {
    return static_cast<std::int64_t>(Int128{size_} * part / parts_);
  }

  std::size_t gap_;
  int votes_;
  std::int64_t size_;
  std::int64_t parts_;
  std::int64_t low_ = 0;
  std::int64_t high_;
  int above_ = 0;
  int below_ = 0;
};

// The zone of a noisy excess. kPaid for exactly `band` integers.
enum class TestZone { kBelow, kPaid, kAbove };
inline TestZone ZoneOfExcess(std::int64_t noisy, std::int64_t band) {
  if (noisy < -(band / 2)) return TestZone::kBelow;
  return noisy < band - band / 2 ? TestZone::kPaid : TestZone::kAbove;
}

}  // namespace sotto
