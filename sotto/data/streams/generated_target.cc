#include "sotto/data/streams/generated_target.h"

#include <algorithm>
#include <set>

#include "sotto/base/int128.h"
#include "sotto/data/streams/decimal.h"

namespace sotto {

std::string_view Name(StreamKind kind) {
  switch (kind) {
    case StreamKind::kThreshold:
      return "threshold";
    case StreamKind::kPoint:
      return "point";
    case StreamKind::kRectangle:
      return "rectangle";
    case StreamKind::kStump:
      return "stump";
    case StreamKind::kHalfspace:
      return "halfspace";
    case StreamKind::kDecisionList:
      return "decision-list";
  }
  return "";
}

std::unique_ptr<GeneratedTarget> GeneratedTarget::Draw(const Params& params,
                                                       Rng& rng) {
  switch (params.kind) {
    case StreamKind::kThreshold:
      break;
    case StreamKind::kPoint:
      return DrawPoint(rng);
    case StreamKind::kRectangle:
      return DrawRectangle(params.features, rng);
    case StreamKind::kStump:
      return DrawStump(params.features, rng);
    case StreamKind::kHalfspace:
      return DrawHalfspace(params, rng);
    case StreamKind::kDecisionList:
      return DrawDecisionList(params.features, params.length, rng);
  }
  return DrawThreshold(rng);
}

void GeneratedTarget::Probe(std::int64_t, Rng& rng, GeneratedRow& row) const {
  Poison(rng, row);
}

std::int64_t Below(Rng& rng, std::int64_t n) {
  return static_cast<std::int64_t>(
      High64(Uint128{rng.Next()} * static_cast<std::uint64_t>(n)));
}

double CubeValue(std::int64_t cell) {
  return ScaledDecimal(static_cast<std::uint64_t>(cell), kCubePlaces);
}

std::vector<std::uint32_t> DrawSubset(std::uint32_t n, std::uint32_t count,
                                      Rng& rng) {
  // Floyd: each last number stands in for one that was drawn already.
  std::set<std::uint32_t> chosen;
  for (std::uint32_t last = n - count; last < n; ++last) {
    const auto drawn = static_cast<std::uint32_t>(Below(rng, last + 1));
    if (!chosen.insert(drawn).second) chosen.insert(last);
  }
  return {chosen.begin(), chosen.end()};
}

void DrawBits(Rng& rng, std::int64_t zero, std::int64_t one,
              std::vector<std::int64_t>& cells) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i % 64 == 0) word = rng.Next();
    cells[i] = (word & 1) != 0 ? one : zero;
    word >>= 1;
  }
}

}  // namespace sotto
