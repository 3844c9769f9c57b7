#include "sotto/mechanisms/ranks/online_thresholds_line.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Any reference of an acceptable depth is better than any other.
constexpr double kTooDeep = 1e9;

auto Offset(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }

}  // namespace

PivotLine::PivotLine(const OnlineThresholdsPlan& plan, std::int64_t size,
                     double failure)
    : plan_(plan),
      failure_(failure),
      pivots_({{.at = -kInfinity, .reference = -kInfinity},
               {.at = kInfinity,
                .value = size,
                .depth = 1,
                .error = plan.SizeError(failure),
                .reference = -kInfinity,
                .from_size = true}}),
      charges_({{.tests = 0, .values = 1}}) {}

std::size_t PivotLine::FindGap(double x) const {
  const auto after = std::upper_bound(
      pivots_.begin(), pivots_.end(), x,
      [](double value, const Pivot& pivot) { return value < pivot.at; });
  return static_cast<std::size_t>(after - pivots_.begin()) - 1;
}

std::int64_t PivotLine::Size(std::size_t gap) const {
  return pivots_[gap + 1].value - pivots_[gap].value;
}

std::int64_t PivotLine::Parts(std::size_t gap) const {
  const RegionCharge& charge = charges_[gap];
  const std::int64_t size = Size(gap);
  if (size <= plan_.width || charge.tests >= plan_.tests ||
      charge.values >= plan_.values) {
    return 1;
  }
  return std::min((size - 1) / plan_.width + 1, plan_.max_parts);
}

std::size_t PivotLine::Split(std::size_t gap, double x, bool from_left) {
  assert(Parts(gap) > 1 && pivots_[gap].at < x && x < pivots_[gap + 1].at);
  // Halfway until it is measured.
  const std::int64_t middle = pivots_[gap].value + Size(gap) / 2;
  pivots_.insert(pivots_.begin() + Offset(gap) + 1, {.at = x, .value = middle});
  charges_.insert(charges_.begin() + Offset(gap), charges_[gap]);
  ++charges_[from_left ? gap : gap + 1].tests;
  return gap + 1;
}

std::int64_t PivotLine::Halvings(std::int64_t size) const {
  if (size <= plan_.width) return 0;
  const auto pieces = static_cast<std::uint64_t>((size - 1) / plan_.width);
  return static_cast<std::int64_t>(std::bit_width(pieces));
}

std::size_t PivotLine::FindIndex(double at) const {
  const auto found = std::lower_bound(
      pivots_.begin(), pivots_.end(), at,
      [](const Pivot& pivot, double value) { return pivot.at < value; });
  return static_cast<std::size_t>(found - pivots_.begin());
}

std::int64_t PivotLine::MaxValueCharge(std::size_t from, std::size_t to) const {
  const auto [first, last] = std::minmax(from, to);
  std::int64_t most = 0;
  for (std::size_t i = first; i < last; ++i) {
    most = std::max(most, charges_[i].values);
  }
  return most;
}

// Walks away from the new pivot over regions that can afford one more release
// and keep one for every halving they may still need. `counted`: the paid test
// counted on this side, whose first region may spend its last.
PivotLine::Candidate PivotLine::BestTowards(std::size_t pivot, bool to_left,
                                            bool counted) const {
  Candidate best{pivot, kInfinity};
  // The side that was not counted may be nearly the whole old gap.
  const std::int64_t old_size =
      pivots_[pivot + 1].value - pivots_[pivot - 1].value;
  std::int64_t most = 0;
  const std::size_t regions = to_left ? pivot : charges_.size() - pivot;
  for (std::size_t step = 1; step <= regions; ++step) {
    const std::size_t region = to_left ? pivot - step : pivot + step - 1;
    const std::size_t end = to_left ? region : region + 1;
    const std::int64_t used = charges_[region].values;
    const std::int64_t kept =
        step == 1 ? (counted ? 0 : Halvings(old_size)) : Halvings(Size(region));
    if (used + 1 + kept > plan_.values) break;
    most = std::max(most, used + 1);
    const Pivot& there = pivots_[end];
    const bool root = end == 0 || end + 1 == pivots_.size();
    const bool shallow =
        there.depth < plan_.max_depth &&
        (root || most <= MaxValueCharge(end, FindIndex(there.reference)));
    const auto span = static_cast<double>(step);
    const auto depth = static_cast<double>(there.depth);
    const double cost =
        shallow ? span + depth * 1e-3 : kTooDeep * (1 + depth) + span;
    if (cost < best.cost) best = {end, cost};
    if (shallow) break;  // Everything farther is longer.
  }
  return best;
}

std::size_t PivotLine::Reference(std::size_t pivot, bool from_left) const {
  const Candidate left = BestTowards(pivot, true, from_left);
  const Candidate right = BestTowards(pivot, false, !from_left);
  return left.cost <= right.cost ? left.pivot : right.pivot;
}

void PivotLine::Measure(std::size_t pivot, std::size_t reference,
                        std::int64_t value) {
  const auto [first, last] = std::minmax(pivot, reference);
  for (std::size_t i = first; i < last; ++i) ++charges_[i].values;
  const auto index = static_cast<std::int64_t>(pivots_.size()) - 1;
  const std::int64_t depth = pivots_[reference].depth + 1;
  const bool from_size = pivots_[reference].from_size;
  const std::int64_t error =
      from_size
          ? pivots_.back().error + plan_.ValueError(index, depth - 1, failure_)
          : plan_.ValueError(index, depth, failure_);
  pivots_[pivot] = {.at = pivots_[pivot].at,
                    .value = value,
                    .depth = depth,
                    .error = error,
                    .reference = pivots_[reference].at,
                    .from_size = from_size};
}

bool PivotLine::Consistent() const {
  if (pivots_.size() < 2 || charges_.size() + 1 != pivots_.size() ||
      pivots_.front().at != -kInfinity || pivots_.back().at != kInfinity) {
    return false;
  }
  constexpr std::int64_t kMaxValue = std::int64_t{1} << 60;
  for (std::size_t i = 0; i < charges_.size(); ++i) {
    const RegionCharge& charge = charges_[i];
    const Pivot& next = pivots_[i + 1];
    const std::size_t reference = FindIndex(next.reference);
    if (!(pivots_[i].at < next.at) || charge.tests < 0 ||
        charge.tests > plan_.tests || charge.values < 1 ||
        charge.values > plan_.values || next.value < -kMaxValue ||
        next.value > kMaxValue || next.depth < 1 ||
        next.depth >= static_cast<std::int64_t>(pivots_.size()) ||
        next.error < 0 || reference == pivots_.size() ||
        pivots_[reference].at != next.reference) {
      return false;
    }
  }
  return pivots_.front().value == 0 && pivots_.front().depth == 0;
}

}  // namespace sotto
