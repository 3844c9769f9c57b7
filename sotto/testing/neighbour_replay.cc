#include "sotto/testing/neighbour_replay.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace sotto {
namespace {

std::pair<int, int> Place(const NoisyValue& value) {
  return {value.round, value.index};
}

// Unsigned, since the gap of two extreme values does not fit a signed integer.
std::uint64_t Gap(std::int64_t x, std::int64_t y) {
  const auto ux = static_cast<std::uint64_t>(x);
  const auto uy = static_cast<std::uint64_t>(y);
  return x >= y ? ux - uy : uy - ux;
}

std::vector<NoisyValue> Visible(const NoiseRecorder& recorder) {
  std::vector<NoisyValue> visible = recorder.trace();
  std::erase_if(visible, [](const NoisyValue& value) { return value.hidden; });
  return visible;
}

}  // namespace

void NoiseRecorder::BeginRound(bool hidden) {
  ++round_;
  index_ = 0;
  hidden_ = hidden;
}

std::int64_t NoiseRecorder::Add(std::int64_t value) {
  const std::optional<std::int64_t> earlier = EarlierAnswer();
  const std::int64_t noisy = earlier ? *earlier : value + tape_(round_, index_);
  trace_.push_back({round_, index_, hidden_, value, noisy});
  ++index_;
  return noisy;
}

std::optional<std::int64_t> NoiseRecorder::EarlierAnswer() const {
  if (earlier_ == nullptr || hidden_) return std::nullopt;
  const std::vector<NoisyValue>& trace = earlier_->trace_;
  const auto found =
      std::lower_bound(trace.begin(), trace.end(), std::pair(round_, index_),
                       [](const NoisyValue& value, std::pair<int, int> place) {
                         return Place(value) < place;
                       });
  if (found == trace.end() || Place(*found) != std::pair(round_, index_)) {
    return std::nullopt;
  }
  return found->noisy;
}

ReplayReport CompareTraces(const NoiseRecorder& p, const NoiseRecorder& q,
                           std::uint64_t sensitivity) {
  const std::vector<NoisyValue> xs = Visible(p);
  const std::vector<NoisyValue> ys = Visible(q);
  ReplayReport report;
  auto x = xs.begin();
  auto y = ys.begin();
  while ((x != xs.end() || y != ys.end()) && !report.violation) {
    if (y == ys.end() || (x != xs.end() && Place(*x) < Place(*y))) {
      report.violation = {x->round, x->value, std::nullopt};
    } else if (x == xs.end() || Place(*y) < Place(*x)) {
      report.violation = {y->round, std::nullopt, y->value};
    } else {
      const std::uint64_t gap = Gap(x->value, y->value);
      report.largest_gap = std::max(report.largest_gap, gap);
      ++report.compared;
      if (gap > sensitivity) report.violation = {x->round, x->value, y->value};
      ++x;
      ++y;
    }
  }
  return report;
}

}  // namespace sotto
