#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/random/rng.h"

namespace sotto {

enum class StreamKind {
  kThreshold,
  kPoint,
  kRectangle,
  kStump,
  kHalfspace,
  kDecisionList,
};

// "threshold", ..., "decision-list".
std::string_view Name(StreamKind kind);

// One generated row, in integers, so that it is the same on every machine and
// is written down exactly: value i is cells[i] / 10^places.
struct GeneratedRow {
  std::vector<std::uint32_t> index;  // of the cells; empty: 0, 1, 2, ...
  std::vector<std::int64_t> cells;
  bool y = false;
  bool honest = true;
};

// The rule that the labels of a stream follow, until it drifts.
class GeneratedTarget {
 public:
  struct Params {
    StreamKind kind = StreamKind::kThreshold;
    std::uint32_t features = 1;
    double margin = 0;           // halfspace
    std::uint32_t length = 0;    // halfspace, decision list
    std::uint32_t nonzeros = 0;  // halfspace; 0: all
  };
  // Draws a target. Requires parameters that StreamGenerator::Create allows.
  static std::unique_ptr<GeneratedTarget> Draw(const Params& params, Rng& rng);

  virtual ~GeneratedTarget() = default;
  // A row with its true label.
  virtual void Row(Rng& rng, GeneratedRow& row) const = 0;
  // One chosen to mislead: close to the boundary, with the wrong label.
  virtual void Poison(Rng& rng, GeneratedRow& row) const = 0;
  // The same at a distance of up to `reach` units of 10^-17, where there are
  // distances.
  virtual void Probe(std::int64_t reach, Rng& rng, GeneratedRow& row) const;
  // One from where honest rows hardly ever are, with the wrong label.
  virtual void Flood(Rng& rng, GeneratedRow& row) const = 0;
};

// How the real-valued streams write numbers: units of 10^-17. The greatest is
// 10^-16 below 1, so that its nearest double is below 1 too.
inline constexpr int kCubePlaces = 17;
inline constexpr std::int64_t kCubeOne = 100'000'000'000'000'000;
inline constexpr std::int64_t kCubeLast = kCubeOne - 10;

// Uniform on 0, ..., n - 1, up to a bias of n / 2^64.
std::int64_t Below(Rng& rng, std::int64_t n);
// The double that the written number means.
double CubeValue(std::int64_t cell);

std::unique_ptr<GeneratedTarget> DrawThreshold(Rng& rng);
std::unique_ptr<GeneratedTarget> DrawRectangle(std::uint32_t features,
                                               Rng& rng);
std::unique_ptr<GeneratedTarget> DrawStump(std::uint32_t features, Rng& rng);
std::unique_ptr<GeneratedTarget> DrawPoint(Rng& rng);
std::unique_ptr<GeneratedTarget> DrawHalfspace(
    const GeneratedTarget::Params& params, Rng& rng);
std::unique_ptr<GeneratedTarget> DrawDecisionList(std::uint32_t features,
                                                  std::uint32_t length,
                                                  Rng& rng);

// `count` different numbers below n, sorted.
std::vector<std::uint32_t> DrawSubset(std::uint32_t n, std::uint32_t count,
                                      Rng& rng);
// Fills `cells` with independent fair choices of `zero` and `one`.
void DrawBits(Rng& rng, std::int64_t zero, std::int64_t one,
              std::vector<std::int64_t>& cells);

}  // namespace sotto
