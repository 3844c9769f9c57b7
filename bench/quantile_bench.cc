// How far off are private quantiles of 2,000 numbers, in ranks, beside plain
// noise on a histogram of the same epsilon? Once, and after each of 2,000
// lines.
//
//   quantile_bench [--runs=200] [--numbers=2000]      JSON on standard output

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "bench/harness/flags.h"
#include "bench/harness/measure.h"
#include "sotto/mechanisms/ranges/range_histogram.h"
#include "sotto/mechanisms/ranges/range_quantiles.h"
#include "sotto/mechanisms/ranges/running_histogram.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::bench {
namespace {

constexpr double kEpsilon = 1;
const char* const kAt = "0.5,0.95,0.99";
constexpr double kShares[] = {0.5, 0.95, 0.99};

double Uniform(Rng& rng) {
  return static_cast<double>(rng.Next() >> 11) * 0x1p-53;
}

// "even": over all of [0, 1000]; "skewed": e^(2 normal) times 10, mostly in
// the lowest tenth.
std::vector<double> Numbers(bool skewed, std::size_t count, Rng& rng) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    const double u = Uniform(rng);
    const double radius = std::sqrt(-2 * std::log(1 - Uniform(rng)));
    numbers.push_back(skewed ? 10 * std::exp(radius * std::cos(2 * M_PI * u))
                             : 1000 * u);
  }
  return numbers;
}

// Mean distance, in ranks, between the answers and the quantiles.
double RankError(std::vector<double> sorted,
                 const std::vector<double>& answers) {
  std::sort(sorted.begin(), sorted.end());
  double sum = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto below =
        std::lower_bound(sorted.begin(), sorted.end(), answers[i]);
    const auto rank = static_cast<double>(below - sorted.begin());
    sum += std::abs(rank - kShares[i] * static_cast<double>(sorted.size()));
  }
  return sum / static_cast<double>(answers.size());
}

std::vector<double> FromCounts(std::span<const std::int64_t> counts,
                               const RangeGrid& grid) {
  std::vector<double> answers;
  for (const double at : kShares) {
    answers.push_back(ReadQuantile(counts, grid, at));
  }
  return answers;
}

// Cells of the plain histograms; the best of them is the baseline.
constexpr std::uint64_t kPlainCells[] = {20, 50, 100, 200, 1000};

struct Errors {
  double chosen = 0;  // RangeQuantiles, 10,000 cells, the default
  double median = 0;  // one quantile, with all of epsilon
  double plain[std::size(kPlainCells)] = {};
  double running = 0;  // RunningHistogram, 64 cells, at the last line
  double naive = 0;    // a fresh noisy histogram after each line, composed
};

double Plain(const std::vector<double>& numbers, std::uint64_t cells,
             double epsilon, Rng& rng) {
  const RangeGrid grid = Must(RangeGrid::Create(0, 1000, cells));
  auto histogram =
      Must(RangeHistogram::Create({.epsilon = epsilon, .grid = grid}));
  for (const double x : numbers) histogram.Add(x);
  return RankError(numbers, FromCounts(histogram.Release(rng), grid));
}

Errors Measure(bool skewed, std::size_t count, std::uint64_t seed) {
  testing::SeededRng rng(seed);
  const std::vector<double> numbers = Numbers(skewed, count, rng);
  const RangeGrid fine = Must(RangeGrid::Create(0, 1000, 10'000));
  auto chosen = Must(RangeQuantiles::Create(
      {.epsilon = kEpsilon, .at = Must(ParseQuantiles(kAt)), .grid = fine}));
  auto median = Must(RangeQuantiles::Create(
      {.epsilon = kEpsilon, .at = Must(ParseQuantiles("0.5")), .grid = fine}));
  for (const double x : numbers) {
    chosen.Add(x);
    median.Add(x);
  }
  const RangeGrid cells = Must(RangeGrid::Create(0, 1000, 64));
  auto running = Must(RunningHistogram::Create(
      {.epsilon = kEpsilon, .delta = 1e-6, .horizon = count, .grid = cells}));
  std::vector<double> last;
  for (const double x : numbers) {
    last = FromCounts(Must(running.Add(x, rng)), cells);
  }
  const double lines = static_cast<double>(count);
  Errors errors{
      .chosen = RankError(numbers, chosen.Release(rng)),
      .median = RankError(numbers, median.Release(rng)),
      .running = RankError(numbers, last),
      // Advanced composition, generous to the baseline.
      .naive = Plain(numbers, 64,
                     kEpsilon / std::sqrt(2 * lines * std::log(1e6)), rng)};
  for (std::size_t i = 0; i < std::size(kPlainCells); ++i) {
    errors.plain[i] = Plain(numbers, kPlainCells[i], kEpsilon, rng);
  }
  return errors;
}

int Main(int argc, char** argv) {
  const Flags flags(argc, argv, {{"runs", "200"}, {"numbers", "2000"}});
  const std::uint64_t runs = flags.Count("runs");
  nlohmann::json report = nlohmann::json::array();
  for (const bool skewed : {false, true}) {
    Errors sum;
    for (std::uint64_t run = 0; run < runs; ++run) {
      const Errors one = Measure(skewed, flags.Count("numbers"), 9000 + run);
      sum.chosen += one.chosen;
      sum.median += one.median;
      for (std::size_t i = 0; i < std::size(kPlainCells); ++i) {
        sum.plain[i] += one.plain[i];
      }
      sum.running += one.running;
      sum.naive += one.naive;
    }
    const auto mean = [&](double x) { return x / static_cast<double>(runs); };
    const double best = *std::ranges::min_element(sum.plain);
    report.push_back({{"numbers", skewed ? "skewed" : "even"},
                      {"epsilon", kEpsilon},
                      {"once_ranks_off", mean(sum.chosen)},
                      {"median_alone_ranks_off", mean(sum.median)},
                      {"plain_noise_best_cells", mean(best)},
                      {"plain_noise_1000_cells",
                       mean(sum.plain[std::size(kPlainCells) - 1])},
                      {"ratio_to_best_plain", best / sum.chosen},
                      {"continual_ranks_off_at_the_end", mean(sum.running)},
                      {"plain_noise_after_each_line", mean(sum.naive)},
                      {"ratio_to_plain_continual", sum.naive / sum.running}});
  }
  std::printf("%s\n", report.dump(1).c_str());
  return 0;
}

}  // namespace
}  // namespace sotto::bench

int main(int argc, char** argv) { return sotto::bench::Main(argc, argv); }
