#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "sotto/base/result.h"
#include "sotto/random/rng.h"

namespace sotto::bench {

// Prints the error and exits with status 1.
[[noreturn]] void Fail(const Error& error);

// Value of the result. Exits with status 1 if there is none.
template <typename T>
T Must(Result<T> result) {
  if (!result) Fail(result.error());
  return *std::move(result);
}

// Seconds since it was made.
class Stopwatch {
 public:
  // Processor time of all threads. Independent of what else the machine does.
  double processor() const {
    return static_cast<double>(std::clock() - processor_) / CLOCKS_PER_SEC;
  }
  double wall() const {
    return std::chrono::duration<double>(Clock::now() - wall_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::clock_t processor_ = std::clock();
  Clock::time_point wall_ = Clock::now();
};

// Largest resident size of this process so far.
double PeakMegabytes();

// Uniform in [0, 1).
double Uniform(Rng& rng);

struct Sample {
  double mean = 0;
  double deviation = 0;
  double largest = 0;
};

// Calls run(1), ..., run(seeds).
Sample Repeat(std::uint64_t seeds,
              const std::function<double(std::uint64_t seed)>& run);

// Prints the document on standard output.
void PrintJson(const nlohmann::json& document);
// Prints it on one line, at once: for benchmarks with a line for each run.
void PrintLine(const nlohmann::ordered_json& line);

// JSON array of a benchmark. Logs every entry on standard error as it comes.
class Entries {
 public:
  void Add(nlohmann::json entry);
  const nlohmann::json& json() const { return entries_; }

 private:
  nlohmann::json entries_ = nlohmann::json::array();
};

}  // namespace sotto::bench
