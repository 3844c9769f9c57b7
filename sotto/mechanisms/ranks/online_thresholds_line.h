#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sotto/mechanisms/ranks/online_thresholds_plan.h"

namespace sotto {

// The public half of OnlineThresholds: the pivots, what was released of them,
// and how often every region between two neighbours was counted. It never sees
// the data, so all that it decides is free.
//
//   PivotLine line(plan, noisy_size);
//   const std::size_t gap = line.FindGap(x);
//   if (line.Parts(gap) > 1) ThresholdSearch search(line, gap, x);
//
// Region i holds the records r with pivot(i).at <= r < pivot(i + 1).at.
//
// Guarantee: no region is ever charged more than plan.tests tests and
//            plan.values values.
// Proof:     online_thresholds.md, steps 1 and 5.
// Threads:   a value type.
struct Pivot {
  double at = 0;
  std::int64_t value = 0;  // released estimate of the records below `at`
  std::int64_t depth = 0;  // noises in it
  std::int64_t error = 0;  // bound on how far `value` is off
  double reference = 0;    // where the pivot is that it was measured from
  bool from_size = false;  // whether the size's noise is in it
  // NOLINTNEXTLINE(modernize-use-nullptr): the 0 of a defaulted comparison
  friend auto operator<=>(const Pivot&, const Pivot&) = default;
};

struct RegionCharge {
  std::int64_t tests = 0;
  std::int64_t values = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): the 0 of a defaulted comparison
  friend auto operator<=>(const RegionCharge&, const RegionCharge&) = default;
};

class PivotLine {
 public:
  // Pivots at -infinity (0, exact) and +infinity (the released size).
  PivotLine(const OnlineThresholdsPlan& plan, std::int64_t size,
            double failure);
  // As saved; see Consistent.
  PivotLine(const OnlineThresholdsPlan& plan, std::vector<Pivot> pivots,
            std::vector<RegionCharge> charges, double failure)
      : plan_(plan),
        failure_(failure),
        pivots_(std::move(pivots)),
        charges_(std::move(charges)) {}

  const std::vector<Pivot>& pivots() const { return pivots_; }
  const std::vector<RegionCharge>& charges() const { return charges_; }
  const OnlineThresholdsPlan& plan() const { return plan_; }

  // The last gap i with pivot(i).at <= x. Requires that x is a number.
  std::size_t FindGap(double x) const;
  // pivot(gap + 1).value - pivot(gap).value; may be negative.
  std::int64_t Size(std::size_t gap) const;
  // Into how many parts of at most `width` the gap is to be searched; 1 if it
  // is narrow enough, or cannot pay.
  std::int64_t Parts(std::size_t gap) const;

  // A paid test counted from one end of `gap` to x: x becomes a pivot, and the
  // counted side is charged. Returns the pivot's index; Measure must follow.
  // Requires Parts(gap) > 1 and pivot(gap).at < x < pivot(gap + 1).at.
  std::size_t Split(std::size_t gap, double x, bool from_left);
  // From which pivot the new one's value is to be measured (step 5).
  std::size_t Reference(std::size_t pivot, bool from_left) const;
  // Charges the regions between and records the value.
  void Measure(std::size_t pivot, std::size_t reference, std::int64_t value);

  // Returns true if a saved line is ordered and within the limits.
  bool Consistent() const;

  friend std::partial_ordering operator<=>(const PivotLine& a,
                                           const PivotLine& b) {
    const std::partial_ordering order = a.pivots_ <=> b.pivots_;
    if (std::is_neq(order)) return order;
    return a.charges_ <=> b.charges_;
  }
  friend bool operator==(const PivotLine& a, const PivotLine& b) {
    return a.pivots_ == b.pivots_ && a.charges_ == b.charges_;
  }

 private:
  struct Candidate {
    std::size_t pivot;
    double cost;
  };

  std::size_t FindIndex(double at) const;
  // How often the gap may still have to be halved.
  std::int64_t Halvings(std::int64_t size) const;
  std::int64_t MaxValueCharge(std::size_t from, std::size_t to) const;
  Candidate BestTowards(std::size_t pivot, bool to_left, bool counted) const;

  OnlineThresholdsPlan plan_;
  double failure_;
  std::vector<Pivot> pivots_;
  std::vector<RegionCharge> charges_;  // one fewer than pivots
};

}  // namespace sotto
