// How long does one certified evaluation of the exact worst-case delta of a
// stopped process take, against plain value iteration from below (which stops
// on the wrong side of the answer)?
//
//   stopped_process_bench --benchmark_out=stopped_process.json
//                         --benchmark_out_format=json
//
// Both are computed once and compared before anything is timed.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/harness/timed_main.h"
#include "sotto/accounting/stopped_process_exact.h"

namespace sotto {
namespace {

constexpr double kEpsilon = 1;

struct Case {
  const char* name;
  StoppedProcess process;
};

// The noise that (1, 1e-6) needs.
constexpr Case kCases[] = {
    {"above/r=100", {.rate = 1 / 69.3, .targets = 100}},
    {"above/r=1000", {.rate = 1 / 198.5, .targets = 1000}},
    {"above/r=10000", {.rate = 1 / 607.1, .targets = 10000}},
    {"band/r=10000", {.rate = 1 / 633.2, .targets = 10000, .gap = 1583}},
};

// Gauss-Seidel: downwards with the down move charged, upwards with the up move
// charged, until nothing moves by 1e-15.
double IterateFromBelow(const StoppedProcess& process) {
  const double theta = std::exp(-process.rate);
  const double pi = 1 / (1 + theta);
  const double eta =
      process.gap == 0
          ? 0
          : std::exp(-process.rate * static_cast<double>(process.gap));
  const auto below = static_cast<std::size_t>(std::ceil(2.5 / process.rate));
  const std::size_t size =
      below +
      static_cast<std::size_t>(std::ceil((kEpsilon + 2.5) / process.rate)) + 1;
  std::vector<double> before(size);
  for (std::size_t i = 0; i < size; ++i) {
    const double loss =
        (static_cast<double>(i) - static_cast<double>(below)) * process.rate;
    before[i] = loss > kEpsilon ? -std::expm1(kEpsilon - loss) : 0;
  }
  before[size - 1] = 1;
  std::vector<double> now(size);
  for (std::int64_t j = 0; j < process.targets; ++j) {
    now = before;
    double change = 1;
    const auto raise = [&](std::size_t i, double value) {
      change = std::max(change, value - now[i]);
      now[i] = std::max(now[i], value);
    };
    while (change > 1e-15) {
      change = 0;
      for (std::size_t i = size - 2; i >= 1; --i) {
        const double down = eta * now[i - 1] + (1 - eta) * before[i - 1];
        raise(i, pi * now[i + 1] + (1 - pi) * down);
      }
      for (std::size_t i = 1; i + 1 < size; ++i) {
        const double up = eta * now[i + 1] + (1 - eta) * before[i + 1];
        raise(i, pi * up + (1 - pi) * now[i - 1]);
      }
    }
    before.swap(now);
  }
  return before[below];
}

double Certified(const StoppedProcess& process) {
  const auto exact = ExactStoppedDelta(process, kEpsilon);
  return exact ? exact->delta : NAN;
}

// The iteration is below the certified value, and by at most 1e-6 of it.
bool Agree(const Case& one) {
  const double below = IterateFromBelow(one.process);
  const auto exact = ExactStoppedDelta(one.process, kEpsilon);
  if (!exact) return false;
  std::fprintf(
      stderr,
      "%-14s certified %.12g, from below %.12g, gap to a strategy %.2g\n",
      one.name, exact->delta, below, exact->delta / exact->lower - 1);
  return exact->delta >= below && exact->delta <= below * (1 + 1e-6);
}

void RegisterCase(const Case& one) {
  const StoppedProcess process = one.process;
  benchmark::RegisterBenchmark((std::string("certified/") + one.name).c_str(),
                               [process](benchmark::State& state) {
                                 for (auto _ : state)
                                   benchmark::DoNotOptimize(Certified(process));
                               })
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark(
      (std::string("iteration/") + one.name).c_str(),
      [process](benchmark::State& state) {
        for (auto _ : state) {
          benchmark::DoNotOptimize(IterateFromBelow(process));
        }
      })
      ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) {
  const auto agree = [] {
    for (const auto& one : sotto::kCases) {
      if (!sotto::Agree(one)) return false;
      sotto::RegisterCase(one);
    }
    return true;
  };
  return sotto::bench::RunTimed(argc, argv, agree,
                                "the two values of a case disagree");
}
