#include "sotto/mechanisms/mirrors/jdp_mirror.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<long double> TwoSided(double slope, std::size_t size) {
  std::vector<long double> weights;
  for (std::size_t i = 1; i <= size; ++i) {
    const long double distance = std::abs(
        static_cast<long double>(i) - static_cast<long double>(size + 1) / 2);
    weights.push_back(std::exp(-slope * distance));
  }
  return weights;
}

// P(1) of the two-sided distribution, as a number for the search.
double FirstProbability(double slope, std::size_t size) {
  // Two geometric series that meet in the middle; an even size has two middles.
  const std::size_t pairs = size / 2;
  const auto half = static_cast<double>(pairs);
  const double ratio = std::exp(-slope);
  const double odd = size % 2 == 1 ? 1 : 0;
  const double start = odd == 1 ? ratio : std::sqrt(ratio);
  const double side = start * (1 - std::pow(ratio, half)) / (1 - ratio);
  const double edge = std::exp(-slope * (static_cast<double>(size) - 1) / 2);
  return edge / (2 * side + odd);
}

// The least size whose end is light enough; 0 if there is none.
std::size_t LeastSize(double slope, double end) {
  constexpr std::size_t kMax = 1 << 14;
  std::size_t low = 1;
  std::size_t high = kMax;
  if (!(FirstProbability(slope, high) <= end)) return 0;
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (FirstProbability(slope, middle) <= end ? high : low) = middle;
  }
  return high;
}

// min Pr[k + 1] / Pr[k], rounded down.
long double MinGrowth(const MirrorDistribution& distribution) {
  long double growth = 1;
  for (std::uint64_t k = distribution.first(); k < distribution.last(); ++k) {
    growth = std::min(
        growth, distribution.Probability(k + 1) / distribution.Probability(k));
  }
  return growth * (1 - 0x1p-60L);
}

std::uint64_t ComputeDigest(const JdpDesign& design,
                            std::uint64_t first_count) {
  MirrorDigest digest;
  digest.Add(first_count);
  digest.Add(design.activation);
  digest.Add(design.length);
  return digest.value();
}

double Mistakes(double activation, double mean_length) {
  return mean_length * (2 / activation - 1);
}

}  // namespace

Result<JdpDesign> JdpDesign::Published(double activation, double slope,
                                       std::size_t size) {
  if (!(activation > 0 && activation < 1) || !(slope > 0)) {
    return InvalidArgument("JdpMirror needs activation in (0, 1), slope > 0");
  }
  if (size < 2 || size > MirrorDistribution::kMaxSize) {
    return InvalidArgument("JdpMirror needs a length of 2 to 65536");
  }
  SOTTO_TRY_ASSIGN(auto distribution,
                   MirrorDistribution::Create(1, TwoSided(slope, size)));
  return JdpDesign{static_cast<std::uint64_t>(activation * 0x1p64),
                   std::move(distribution)};
}

namespace {

// Step 4 and step 5: the length whose ends are light enough for `delta`, 0 if
// there is none.
std::size_t SizeFor(double bound, double activation, double slope,
                    double delta) {
  const bool twice = activation * std::exp(slope) < 1;
  const double forward = activation * (twice ? 2 : 1);
  const double backward = 2 * std::max(0.0, 1 - (1 - activation) * bound);
  const double end = static_cast<double>(MirrorDesignDelta(delta)) /
                     std::max(forward, backward);
  return LeastSize(slope, end);
}

}  // namespace

Result<JdpShape> JdpShape::Best(double epsilon, double delta) {
  const double bound = ExpDown(epsilon) * (1 - 1e-12);
  // Step 4: these make both ratios fit, with a slope above 0.
  const double low = std::max(2 - bound, 0.0);
  const double high = std::min(bound - 1, 1.0);
  constexpr int kGrid = 4000;
  double best_cost = kInfinity;
  JdpShape best;
  for (int i = 1; i < kGrid; ++i) {
    const double activation = low + (high - low) * i / kGrid;
    const double slope = std::log((bound - 1 + activation) / (2 * activation));
    if (!(slope > 0) || !(activation > 0)) continue;
    const std::size_t size = SizeFor(bound, activation, slope, delta);
    const double cost = Mistakes(activation, static_cast<double>(size + 1) / 2);
    if (size < 2 || cost >= best_cost) continue;
    best_cost = cost;
    best = {activation, slope * (1 - 1e-12), size};
  }
  if (best.size == 0) {
    return InvalidArgument("JdpMirror needs epsilon above ln 1.5");
  }
  return best;
}

Result<JdpShape> JdpShape::WithSlope(double epsilon, double delta,
                                     double slope) {
  constexpr double kMostActive = 0.999;
  const double bound = ExpDown(epsilon) * (1 - 1e-12);
  const double activation =
      std::min((bound - 1) / (2 * std::exp(slope) - 1), kMostActive);
  const std::size_t size = activation > 0 && 2 - activation <= bound
                               ? SizeFor(bound, activation, slope, delta)
                               : 0;
  if (size < 2) {
    return InvalidArgument("JdpMirror with this slope needs more epsilon");
  }
  return JdpShape{activation, slope * (1 - 1e-12), size};
}

Result<JdpDesign> JdpDesign::Best(double epsilon, double delta) {
  SOTTO_TRY_ASSIGN(const auto shape, JdpShape::Best(epsilon, delta));
  return Published(shape.activation, shape.slope, shape.size);
}

JdpDeltas ComputeDelta(const JdpDesign& design, double epsilon) {
  const long double bound = ExpDown(epsilon);
  const long double active = design.active();
  const long double growth = design.length.MaxGrowth();
  // Step 4: the largest ratio outside the excepted events.
  const long double ratio =
      std::max(2 - active, 1 - active + 2 * active * growth) * (1 + 0x1p-58L);
  // Step 5: the mass a shorter distribution takes from a view, and where that
  // is too much.
  const long double kept = bound * (1 - active);
  const long double least =
      bound * (1 - active + active * MinGrowth(design.length));
  if (!(ratio <= bound) || !(kept >= 1 || least * (1 - 0x1p-58L) >= 1) ||
      design.length.first() != 1) {
    return {kInfinity, kInfinity};
  }
  const int times = active * growth < 1 ? 2 : 1;
  const long double forward = times * active * design.length.Probability(1);
  const long double backward =
      kept >= 1
          ? 0
          : 2 * (1 - kept) * design.length.Probability(design.length.last());
  return {static_cast<double>(forward) * kMirrorSumsUp + kMirrorRoundOff,
          static_cast<double>(backward) * kMirrorSumsUp + kMirrorRoundOff};
}

JdpMirror::JdpMirror(const Params& params, JdpDesign design,
                     Guarantee guarantee)
    : head_{"jdp_mirror/1", params.epsilon, params.delta, params.delay,
            ComputeDigest(design, params.first_count)},
      first_count_(params.first_count),
      design_(std::move(design)),
      guarantee_(std::move(guarantee)) {}

Result<JdpMirror> JdpMirror::Create(const Params& params) {
  if (auto valid =
          CheckMirrorTarget(params.epsilon, params.delta, params.delay);
      !valid) {
    return valid.error();
  }
  SOTTO_TRY_ASSIGN(auto design, JdpDesign::Best(params.epsilon, params.delta));
  return Create(params, std::move(design));
}

Result<JdpMirror> JdpMirror::Create(const Params& params, JdpDesign design) {
  if (auto valid =
          CheckMirrorTarget(params.epsilon, params.delta, params.delay);
      !valid) {
    return valid.error();
  }
  if (params.first_count < 1 || params.first_count > std::uint64_t{1} << 40) {
    return InvalidArgument("JdpMirror needs a first count in [1, 2^40]");
  }
  const JdpDeltas deltas = ComputeDelta(design, params.epsilon);
  SOTTO_TRY_ASSIGN(
      auto guarantee,
      MirrorPromise(params.epsilon, params.delta,
                    std::max(deltas.one_over_zero, deltas.zero_over_one)));
  return JdpMirror(params, std::move(design), std::move(guarantee));
}

// Both counters are drawn at the first step, whatever its bit. Every step draws
// one coin, and does not branch on a bit, on a coin or on what was drawn: time
// tells nothing (Contract).
bool JdpMirror::Next(bool one, Rng& rng) {
  if (!drawn_) {
    drawn_ = true;
    left_[0] = head_.delay - 1;
    left_[1] = design_.length.Draw(rng) + first_count_ - 1;
    left_[2] = design_.length.Draw(rng);
  }
  const auto bit = static_cast<std::uint64_t>(one);
  const auto active =
      static_cast<std::uint64_t>(rng.Next() < design_.activation);
  std::uint64_t over = 1;  // All phases before j are over.
  std::uint64_t top = 0;
  for (std::size_t j = 0; j < left_.size(); ++j) {
    const std::uint64_t here = over & static_cast<std::uint64_t>(left_[j] != 0);
    left_[j] -= bit & here & (j == 0 ? 1 : active);
    if (j == 2) top = here & active;
    over &= here ^ 1;
  }
  return (bit & (top | over)) != 0;
}

double JdpMirror::expected_mistakes() const {
  const auto active = static_cast<double>(design_.active());
  return static_cast<double>(head_.delay - 1) +
         Mistakes(active, design_.length.Mean()) +
         static_cast<double>(first_count_ - 1) / active;
}

void JdpMirror::Save(ByteWriter& writer) const {
  SaveMirrorHead(head_, writer);
  writer.Number(static_cast<std::uint8_t>(drawn_));
  for (const std::uint64_t left : left_) writer.Number(left);
}

Result<JdpMirror> JdpMirror::Load(const Params& params, ByteReader& reader) {
  return Resume(Create(params), reader);
}

Result<JdpMirror> JdpMirror::Load(const Params& params, JdpDesign design,
                                  ByteReader& reader) {
  return Resume(Create(params, std::move(design)), reader);
}

Result<JdpMirror> JdpMirror::Resume(Result<JdpMirror> mirror,
                                    ByteReader& reader) {
  if (!mirror) return mirror;
  SOTTO_TRY(CheckMirrorHead(mirror->head_, reader));
  const auto drawn = reader.Number<std::uint8_t>();
  mirror->drawn_ = drawn == 1;
  for (std::uint64_t& left : mirror->left_) {
    left = reader.Number<std::uint64_t>();
  }
  const auto& left = mirror->left_;
  const std::uint64_t longest = mirror->design_.length.last();
  const bool idle = drawn == 0 && left == std::array<std::uint64_t, 3>{};
  // A counter that has not begun is not 0.
  const bool running = drawn == 1 && left[0] < mirror->head_.delay &&
                       left[1] < longest + mirror->first_count_ &&
                       left[2] <= longest && (left[0] == 0 || left[1] > 0) &&
                       (left[1] == 0 || left[2] > 0);
  if (reader.failed() || !(idle || running)) {
    return Corruption("no state of a JdpMirror");
  }
  return mirror;
}

}  // namespace sotto
