#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>

namespace sotto::bench {

// Main function of a benchmark of Google's library that checks its results
// before it measures any time.
template <typename Check>
int RunTimed(int argc, char** argv, const Check& check, const char* complaint) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  if (!check()) {
    std::fprintf(stderr, "%s\n", complaint);
    return 1;
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace sotto::bench
