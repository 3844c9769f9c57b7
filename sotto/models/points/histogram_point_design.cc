#include "sotto/models/points/histogram_point_design.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "sotto/accounting/rounding.h"
#include "sotto/mechanisms/mirrors/mirror_distribution.h"
#include "sotto/mechanisms/selection/sparse_histogram.h"

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLeastDelta = 4e-12;
// The paper's slope (Claim B.2), and its W = 10 k and K = 20 epsilon k.
constexpr double kPrintedSlope = 0.5;
constexpr double kPrintedWindow = 10;
constexpr double kPrintedDelay = 20;
// Limits of a mirror and of a histogram.
constexpr double kMostMirror = 10;
constexpr double kMostHistogram = 16;
constexpr std::uint64_t kMostWindow = 1 << 22;

// Pr[Bin(n, p) >= m] for m = 0, ..., n + 1: weights by ratios from the mode,
// normalized, so that only roundings of n products enter.
std::vector<long double> BinomialTails(std::uint64_t n, long double p) {
  std::vector<long double> tails(n + 2, 0);
  const auto mode = static_cast<std::uint64_t>(
      std::min(std::floor(p * static_cast<long double>(n + 1)),
               static_cast<long double>(n)));
  const long double odds = p / (1 - p);
  const auto real = [](std::uint64_t x) { return static_cast<long double>(x); };
  tails[mode] = 1;
  for (std::uint64_t j = mode; j < n; ++j) {
    tails[j + 1] = tails[j] * odds * (real(n - j) / real(j + 1));
  }
  for (std::uint64_t j = mode; j > 0; --j) {
    tails[j - 1] = tails[j] / odds * (real(j) / real(n - j + 1));
  }
  for (std::uint64_t j = n + 1; j > 0; --j) tails[j - 1] += tails[j];
  const long double total = tails[0];
  for (long double& tail : tails) tail /= total;
  return tails;
}

// The first "top" is the active one that follows K - 1 + (a length) of them.
double EarlyTopByTails(const JdpDesign& mirror, std::uint64_t first_count,
                       const std::vector<long double>& tails) {
  long double early = 0;
  for (std::uint64_t k = 1; k <= mirror.length.last(); ++k) {
    const std::uint64_t needed =
        std::min<std::uint64_t>(first_count + k, tails.size() - 1);
    early += mirror.length.Probability(k) * tails[needed];
  }
  // Roundings: 2^22 products of 2^-62 each; underflow: far below 1e-300.
  return InflateUp(static_cast<double>(early), 1e-9) + 1e-300;
}

// The least margin with LaplaceTail(rate, margin) <= failure.
std::int64_t LaplaceMargin(double rate, double failure) {
  auto margin = static_cast<std::int64_t>(
      std::max(0.0, -std::log(failure * (1 + std::exp(-rate))) / rate));
  while (LaplaceTail(rate, margin) > failure) ++margin;
  while (margin > 0 && LaplaceTail(rate, margin - 1) <= failure) --margin;
  return margin;
}

// Delta in thirds: histogram, mirror, simulation; of the last, a half each for
// its two events, in both worlds.
struct Budget {
  double third = 0;
  double event = 0;
};

Budget Split(const ApproximateDp& round) {
  const double third = round.delta * (1 - 1e-6) / 3;
  return {third, third / (1 + std::exp(round.epsilon)) / 2};
}

class Search {
 public:
  Search(const ApproximateDp& round, PaperNumbers numbers, double constant)
      : round_(round),
        numbers_(numbers),
        constant_(constant),
        budget_(Split(round)) {}

  Result<HistogramPointDesign> Run() {
    // Shares of the mirror: coarse, then finer around the best.
    Walk(0.55, 0.09, 4);
    if (!Found()) Walk(0.9, 0.02, 4);
    if (Found()) Walk(best_.mirror.epsilon / round_.epsilon, 0.02, 4);
    if (!Found()) {
      return InvalidArgument(
          "--calibration paper of points needs more epsilon: a mirror of the "
          "paper alone costs more than " +
          std::string(numbers_ == PaperNumbers::kPrinted
                          ? "0.53 (ln 1.70, slope 1/2)"
                          : "0.41 (ln 1.5)") +
          " for each round of a user; --calibration practical has no such "
          "limit");
    }
    return Exact();
  }

 private:
  bool Found() const { return mistakes_ < kInfinity; }

  void Walk(double middle, double step, int steps) {
    for (int i = -steps; i <= steps; ++i) {
      const double share = middle + i * step;
      if (share > 0.02 && share < 0.99) TryMirror(share * round_.epsilon);
    }
  }

  void TryMirror(double epsilon) {
    epsilon = std::min(epsilon, kMostMirror);
    const double delta = std::min(budget_.third, 0.1);
    const auto shape = numbers_ == PaperNumbers::kPrinted
                           ? JdpShape::WithSlope(epsilon, delta, kPrintedSlope)
                           : JdpShape::Best(epsilon, delta);
    if (!shape) return;
    const auto mirror =
        JdpDesign::Published(shape->activation, shape->slope, shape->size);
    if (!mirror) return;
    const double rest = round_.epsilon * (1 - 1e-15) - epsilon;
    for (int i = 1; i < 24; ++i) {
      TryShares({epsilon, budget_.third}, *shape, *mirror, rest * i / 24,
                rest * (24 - i) / 24);
    }
  }

  void TryShares(const ApproximateDp& mirror_cost, const JdpShape& shape,
                 const JdpDesign& mirror, double histogram, double fake) {
    HistogramPointDesign design{
        .histogram = {std::min(histogram, kMostHistogram), budget_.third},
        .mirror = mirror_cost,
        .shape = shape,
        .fake_epsilon = std::min(fake, kMostHistogram)};
    // As SparseHistogram has it; Exact asks the histogram itself.
    const double rate = design.histogram.epsilon / 2;
    std::int64_t threshold = 1;
    if (!(rate > 1e-6)) return;
    threshold += static_cast<std::int64_t>(std::ceil(std::max(
        0.0, -std::log(budget_.third * (1 + std::exp(-rate))) / rate)));
    const std::int64_t above = LaplaceMargin(rate, kPointMissed);
    Fill(threshold + above - 1, 1, mirror, design);
    const double mistakes = design.ExpectedMistakes();
    if (design.first_count == 0 || mistakes >= mistakes_) return;
    if (!Fits(mirror, design)) return;
    mistakes_ = mistakes;
    best_ = design;
  }

  // k and what follows from it; a first count of 0 where nothing fits.
  void Fill(std::int64_t shown, double factor, const JdpDesign& mirror,
            HistogramPointDesign& design) const {
    const bool printed = numbers_ == PaperNumbers::kPrinted;
    const double many =
        std::ceil(std::max(factor * static_cast<double>(shown), 1.0));
    design.first_count = 0;
    if (!(many < kMostWindow / kPrintedWindow)) return;
    design.positives = static_cast<std::uint64_t>(many);
    const double rate = design.fake_epsilon;
    if (printed) {
      design.tolerance = static_cast<std::int64_t>(
          std::ceil(std::log(1 / round_.delta) / rate));
      design.window = static_cast<std::uint64_t>(kPrintedWindow * many);
      design.first_count = static_cast<std::uint64_t>(
          std::ceil(kPrintedDelay * design.shape.activation * many));
      return;
    }
    design.tolerance = LaplaceMargin(rate, kPointMissed) - 1;
    design.tolerance = std::max<std::int64_t>(design.tolerance, 0);
    design.window =
        design.positives + static_cast<std::uint64_t>(design.tolerance) +
        static_cast<std::uint64_t>(LaplaceMargin(rate, budget_.event));
    if (design.window > kMostWindow) return;
    design.first_count = LeastFirstCount(mirror, design.window);
  }

  // The least numbers are made to fit.
  bool Fits(const JdpDesign& mirror, const HistogramPointDesign& design) const {
    if (numbers_ == PaperNumbers::kLeast) return true;
    const std::int64_t margin =
        static_cast<std::int64_t>(design.window - design.positives) -
        design.tolerance;
    return LaplaceTail(design.fake_epsilon, margin) <= budget_.event &&
           EarlyTop(mirror, design.first_count, design.window) <= budget_.event;
  }

  std::uint64_t LeastFirstCount(const JdpDesign& mirror,
                                std::uint64_t window) const {
    const auto tails = BinomialTails(window, mirror.active());
    std::uint64_t low = 0;
    std::uint64_t high = window + 1;  // never early
    while (high - low > 1) {
      const std::uint64_t middle = (low + high) / 2;
      const bool fits = EarlyTopByTails(mirror, middle, tails) <= budget_.event;
      (fits ? high : low) = middle;
    }
    return high;
  }

  // The best shares, with k of the histogram itself, times the constant: which
  // may then cost more than there is.
  Result<HistogramPointDesign> Exact() const {
    HistogramPointDesign design = best_;
    SOTTO_TRY_ASSIGN(
        const auto histogram,
        SparseHistogram::Create({.epsilon = design.histogram.epsilon,
                                 .delta = design.histogram.delta}));
    const JdpShape& shape = design.shape;
    SOTTO_TRY_ASSIGN(
        const auto mirror,
        JdpDesign::Published(shape.activation, shape.slope, shape.size));
    Fill(histogram.CountFor(kPointMissed),
         numbers_ == PaperNumbers::kPrinted ? constant_ : 1, mirror, design);
    return design;
  }

  ApproximateDp round_;
  PaperNumbers numbers_;
  double constant_;
  Budget budget_;
  HistogramPointDesign best_;
  double mistakes_ = kInfinity;
};

}  // namespace

double EarlyTop(const JdpDesign& mirror, std::uint64_t first_count,
                std::uint64_t window) {
  return EarlyTopByTails(mirror, first_count,
                         BinomialTails(window, mirror.active()));
}

double LaplaceTail(double rate, std::int64_t margin) {
  if (margin < 0) return 1;
  return InflateUp(
      std::exp(-rate * static_cast<double>(margin)) / (1 + std::exp(-rate)),
      1e-12);
}

double HistogramPointDesign::ExpectedMistakes() const {
  const double length = static_cast<double>(shape.size + 1) / 2;
  return (static_cast<double>(first_count) - 1 + 2 * length) /
             shape.activation -
         length;
}

void HistogramPointDesign::Save(ByteWriter& writer) const {
  for (const double number :
       {histogram.epsilon, histogram.delta, mirror.epsilon, mirror.delta,
        shape.activation, shape.slope, fake_epsilon}) {
    writer.Real(number);
  }
  for (const std::uint64_t number :
       {shape.size, positives, window, first_count}) {
    writer.Number(number);
  }
  writer.Number(tolerance);
}

HistogramPointDesign HistogramPointDesign::Load(ByteReader& reader) {
  HistogramPointDesign design;
  for (double* number :
       {&design.histogram.epsilon, &design.histogram.delta,
        &design.mirror.epsilon, &design.mirror.delta, &design.shape.activation,
        &design.shape.slope, &design.fake_epsilon}) {
    *number = reader.Real();
  }
  for (std::uint64_t* number : {&design.shape.size, &design.positives,
                                &design.window, &design.first_count}) {
    *number = reader.Number<std::uint64_t>();
  }
  design.tolerance = reader.Number<std::int64_t>();
  return design;
}

Result<HistogramPointDesign> ChooseHistogramPointDesign(
    const ApproximateDp& round, PaperNumbers numbers, double constant) {
  if (!(round.delta >= kLeastDelta)) {
    return InvalidArgument(
        "points needs a delta of at least 4e-12 for each round of a user");
  }
  return Search(round, numbers, constant).Run();
}

}  // namespace sotto
