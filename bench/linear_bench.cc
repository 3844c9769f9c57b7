// Fraction of the machine's peak that the votes of k logistic regressions reach
// in batches, compared with a plain Eigen matrix-vector loop.
//
//   linear_bench --benchmark_out=linear.json --benchmark_out_format=json
//
// 100 dense features, 8,192 copies, one thread, one copy taught every round.
// This file alone is compiled for the machine it is built on, in favour of the
// baseline; the library is not. Work is 2 k d operations a round, the bias and
// the corrections not counted. The peak is what independent chains of the
// widest fused multiply-adds reach in registers, measured before and after each
// benchmark; the best counts, as it does for Eigen, while the ensemble's time
// is the mean. Before anything is timed, the ensemble must give the votes of
// the loop over learners.

#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

#include "bench/harness/timed_main.h"
#include "sotto/learners/ensembles/linear_ensemble.h"
#include "sotto/learners/linear_learner.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

constexpr std::uint32_t kFeatures = 100;
constexpr std::int64_t kCopies = 8192;
constexpr std::size_t kRounds = 512;
constexpr LogisticRule kRule{.rate = 0.01};

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

#if defined(__AVX512F__)
constexpr std::size_t kWidth = 8;
#elif defined(__AVX__)
constexpr std::size_t kWidth = 4;
#else
constexpr std::size_t kWidth = 2;
#endif
using Vector [[gnu::vector_size(kWidth * sizeof(double))]] = double;

// Operations a second of 12 independent chains, best of a few tries.
double FmaPeak() {
  constexpr std::size_t kChains = 12;
  constexpr int kSteps = 400'000;
  double best = 0;
  for (int attempt = 0; attempt < 10; ++attempt) {
    Vector chains[kChains] = {};
    Vector factor = chains[0] + 0.999;
    Vector term = chains[0] + 1e-3;
    benchmark::DoNotOptimize(factor);
    benchmark::DoNotOptimize(term);
    const double begin = CpuSeconds();
    for (int i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
      for (auto& chain : chains) chain = chain * factor + term;
    }
    const double seconds = CpuSeconds() - begin;
    for (auto& chain : chains) benchmark::DoNotOptimize(chain);
    best = std::max(best, 2.0 * kWidth * kChains * kSteps / seconds);
  }
  return best;
}

struct Stream {
  std::vector<FeatureVector> xs;
  std::vector<Ensemble::Step> steps;
};

Stream MakeStream(std::uint32_t listed) {
  testing::SeededRng rng(7);
  Stream stream;
  for (std::size_t i = 0; i < kRounds; ++i) {
    FeatureVector x;
    for (std::uint32_t j = 0; j < kFeatures; ++j) {
      const double value = static_cast<double>(rng.Next()) * 0x1p-63 - 1;
      if (rng.Next() % kFeatures < listed) x.push_back({j, value});
    }
    stream.xs.push_back(x);
  }
  for (const FeatureVector& x : stream.xs) {
    stream.steps.push_back(
        {.x = x,
         .copy = static_cast<std::int64_t>(rng.Next() % kCopies),
         .y = (rng.Next() & 1) != 0});
  }
  return stream;
}

// Every copy has learned one example.
LinearEnsemble MakeEnsemble(const Stream& stream, LinearPath path) {
  auto ensemble = *LinearEnsemble::Create(
      {.rule = kRule, .dimension = kFeatures, .copies = kCopies, .path = path});
  for (std::int64_t copy = 0; copy < kCopies; ++copy) {
    const auto& step = stream.steps[static_cast<std::size_t>(copy) % kRounds];
    if (!ensemble.Update(copy, step.x, step.y)) std::abort();
  }
  return ensemble;
}

double EigenVectorLoop(const Stream& stream, std::int64_t& votes) {
  Eigen::MatrixXd weights = Eigen::MatrixXd::Random(kCopies, kFeatures + 1);
  Eigen::MatrixXd rounds = Eigen::MatrixXd::Zero(kFeatures + 1, kRounds);
  for (std::size_t i = 0; i < kRounds; ++i) {
    for (const Feature& feature : stream.xs[i]) {
      rounds(feature.index, static_cast<Eigen::Index>(i)) = feature.value;
    }
    rounds(kFeatures, static_cast<Eigen::Index>(i)) = 1;
  }
  Eigen::VectorXd scores(kCopies);
  const double begin = CpuSeconds();
  for (Eigen::Index i = 0; i < rounds.cols(); ++i) {
    scores.noalias() = weights * rounds.col(i);
    votes += (scores.array() >= 0).count();
    const auto& step = stream.steps[static_cast<std::size_t>(i)];
    weights.row(step.copy) +=
        kRule.Step(scores(step.copy), step.y) * rounds.col(i).transpose();
  }
  return CpuSeconds() - begin;
}

constexpr double kWork = 2.0 * kCopies * kFeatures;

double BestEigenSeconds(const Stream& stream) {
  std::int64_t votes = 0;
  double best = EigenVectorLoop(stream, votes);
  for (int attempt = 0; attempt < 4; ++attempt) {
    best = std::min(best, EigenVectorLoop(stream, votes));
  }
  benchmark::DoNotOptimize(votes);
  return best;
}

// Baseline: rounds one at a time.
void BM_EigenMatrixVector(benchmark::State& state) {
  const Stream stream = MakeStream(kFeatures);
  std::int64_t votes = 0;
  double seconds = 0;
  double peak = FmaPeak();
  while (state.KeepRunning()) {
    const double once = EigenVectorLoop(stream, votes);
    state.SetIterationTime(once);
    seconds += once;
  }
  peak = std::max(peak, FmaPeak());
  const auto rounds = static_cast<double>(state.iterations()) * kRounds;
  benchmark::DoNotOptimize(votes);
  state.counters["rounds_per_second"] = rounds / seconds;
  state.counters["fraction_of_peak"] = kWork * rounds / seconds / peak;
}

void Measure(benchmark::State& state, std::uint32_t listed, std::size_t batch,
             LinearPath path) {
  if (!IsSupported(path)) {
    state.SkipWithError("this machine lacks the instructions");
    return;
  }
  const Stream stream = MakeStream(listed);
  LinearEnsemble ensemble = MakeEnsemble(stream, path);
  std::vector<std::int64_t> votes(kRounds);
  double peak = FmaPeak();
  double seconds = 0;
  const double eigen_seconds = BestEigenSeconds(stream);
  while (state.KeepRunning()) {
    const double begin = CpuSeconds();
    for (std::size_t i = 0; i < kRounds; i += batch) {
      if (!ensemble.Play(std::span(stream.steps).subspan(i, batch),
                         std::span(votes).subspan(i, batch))) {
        std::abort();
      }
    }
    const double once = CpuSeconds() - begin;
    state.SetIterationTime(once);
    seconds += once;
  }
  peak = std::max(peak, FmaPeak());
  const auto rounds = static_cast<double>(state.iterations()) * kRounds;
  // Sparse rounds: only the listed features are work.
  const double work = kWork * listed / kFeatures;
  state.counters["rounds_per_second"] = rounds / seconds;
  state.counters["peak_gflops"] = peak / 1e9;
  state.counters["gflops"] = work * rounds / seconds / 1e9;
  state.counters["fraction_of_peak"] = work * rounds / seconds / peak;
  state.counters["ratio_to_eigen"] = eigen_seconds * rounds / kRounds / seconds;
}

void BM_Batch(benchmark::State& state) {
  Measure(state, kFeatures, static_cast<std::size_t>(state.range(0)),
          BestLinearPath());
}
void BM_BatchAvx2(benchmark::State& state) {
  Measure(state, kFeatures, static_cast<std::size_t>(state.range(0)),
          LinearPath::kAvx2);
}
void BM_BatchPlain(benchmark::State& state) {
  Measure(state, kFeatures, static_cast<std::size_t>(state.range(0)),
          LinearPath::kPlain);
}
void BM_SparseBatch(benchmark::State& state) {
  Measure(state, static_cast<std::uint32_t>(state.range(0)),
          LinearRounds::kMaxRounds, BestLinearPath());
}

BENCHMARK(BM_EigenMatrixVector)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Batch)
    ->Arg(1)
    ->Arg(8)
    ->Arg(32)
    ->Arg(64)
    ->Arg(128)
    ->Arg(256)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_BatchAvx2)
    ->Arg(256)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_BatchPlain)
    ->Arg(256)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_SparseBatch)
    ->Arg(1)
    ->Arg(10)
    ->Arg(30)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// The votes of the loop over learners, in one batch and in the next?
bool VotesAreRight() {
  const Stream stream = MakeStream(kFeatures);
  LinearEnsemble ensemble = MakeEnsemble(stream, BestLinearPath());
  std::vector<LogisticLearner> copies(kCopies,
                                      LogisticLearner(kFeatures, kRule));
  for (std::size_t c = 0; c < copies.size(); ++c) {
    copies[c].Update(stream.steps[c % kRounds].x, stream.steps[c % kRounds].y);
  }
  constexpr std::size_t kChecked = 300;
  std::vector<std::int64_t> votes(kChecked);
  if (!ensemble.Play(std::span(stream.steps).first(kChecked), votes)) {
    return false;
  }
  for (std::size_t i = 0; i < kChecked; ++i) {
    const auto& step = stream.steps[i];
    std::int64_t expected = 0;
    for (const auto& copy : copies) expected += copy.Predict(step.x) ? 1 : 0;
    if (votes[i] != expected) return false;
    copies[static_cast<std::size_t>(step.copy)].Update(step.x, step.y);
  }
  return true;
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) {
  return sotto::bench::RunTimed(argc, argv, sotto::VotesAreRight,
                                "the votes are not those of the learners");
}
