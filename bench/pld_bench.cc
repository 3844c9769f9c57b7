// How long does the epsilon of the Gaussian mechanism, sigma 50, composed 1,000
// times, at delta 1e-6 take through privacy-loss distributions, construction
// included? Baseline: the same lattice composed by direct, quadratic
// convolution with repeated squaring. Both results are checked against the
// analytic value before any time is believed.

#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "sotto/accounting/gaussian_analytic.h"
#include "sotto/accounting/tight_composition.h"

namespace sotto {
namespace {

constexpr double kSigma = 50;
constexpr std::uint64_t kCount = 1000;
constexpr double kDelta = 1e-6;
constexpr double kTolerance = 1e-3;  // relative, of epsilon

double ByFourier() {
  const auto loss = PrivacyLoss::Gaussian(kSigma);
  const std::vector<LossTerm> terms = {{*loss, kCount}};
  return *TightEpsilon(terms, kDelta);
}

// Masses on consecutive lattice points, from index `first`.
struct Masses {
  long first;
  std::vector<double> mass;
};

// Cuts ends of negligible mass: the baseline certifies nothing.
Masses Convolve(const Masses& a, const Masses& b) {
  Masses out{a.first + b.first,
             std::vector<double>(a.mass.size() + b.mass.size() - 1, 0.0)};
  for (std::size_t i = 0; i < a.mass.size(); ++i) {
    for (std::size_t j = 0; j < b.mass.size(); ++j) {
      out.mass[i + j] += a.mass[i] * b.mass[j];
    }
  }
  while (out.mass.back() < 1e-16) out.mass.pop_back();
  std::size_t low = 0;
  while (out.mass[low] < 1e-16) ++low;
  out.mass.erase(out.mass.begin(), out.mass.begin() + static_cast<long>(low));
  out.first += static_cast<long>(low);
  return out;
}

double ByDirectConvolution() {
  const double spacing = 0.0237 / kSigma;  // as fine as ByFourier ends up with
  const auto grid = PrivacyLoss::Gaussian(kSigma)->OnGrid(spacing, 1e-18);
  Masses base{static_cast<long>(grid->first), grid->mass};
  Masses total{0, {1.0}};
  for (std::uint64_t left = kCount; left > 0; left >>= 1) {
    if ((left & 1) != 0) total = Convolve(total, base);
    if (left > 1) base = Convolve(base, base);
  }
  const auto delta = [&](double epsilon) {
    double sum = 0;
    for (std::size_t i = 0; i < total.mass.size(); ++i) {
      const double loss =
          (static_cast<double>(total.first) + static_cast<double>(i)) * spacing;
      if (loss > epsilon) sum += total.mass[i] * -std::expm1(epsilon - loss);
    }
    return sum;
  };
  double low = 0;
  double high = 10;
  while (high - low > 1e-9) {
    const double middle = (low + high) / 2;
    (delta(middle) > kDelta ? low : high) = middle;
  }
  return high;
}

template <double (*Method)()>
void Measure(benchmark::State& state) {
  const double exact = *GaussianEpsilon({kSigma, kCount}, kDelta);
  const double ours = Method();
  if (!(std::abs(ours / exact - 1) <= kTolerance)) {
    state.SkipWithError("the result is wrong");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(Method());
  state.counters["epsilon"] = ours;
  state.counters["relative_error"] = ours / exact - 1;
}

BENCHMARK(Measure<ByFourier>)
    ->Name("gaussian_50_x_1000/fourier")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(Measure<ByDirectConvolution>)
    ->Name("gaussian_50_x_1000/direct_convolution")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sotto

BENCHMARK_MAIN();
