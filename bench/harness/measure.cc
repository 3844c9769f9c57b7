#include "bench/harness/measure.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>

namespace sotto::bench {

void Fail(const Error& error) {
  std::cerr << error.message << "\n";
  std::exit(1);
}

double PeakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

double Uniform(Rng& rng) {
  return static_cast<double>(rng.Next() >> 11) * 0x1p-53;
}

Sample Repeat(std::uint64_t seeds,
              const std::function<double(std::uint64_t seed)>& run) {
  Sample sample;
  double sum = 0;
  double squares = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const double value = run(seed);
    sum += value;
    squares += value * value;
    sample.largest = std::max(sample.largest, value);
  }
  const auto n = static_cast<double>(seeds);
  sample.mean = sum / n;
  sample.deviation =
      std::sqrt(std::max(0.0, squares / n - sample.mean * sample.mean));
  return sample;
}

void PrintJson(const nlohmann::json& document) {
  std::cout << document.dump(1) << "\n";
}

void PrintLine(const nlohmann::ordered_json& line) {
  std::cout << line.dump() << std::endl;
}

void Entries::Add(nlohmann::json entry) {
  std::cerr << entry.dump() << "\n";
  entries_.push_back(std::move(entry));
}

}  // namespace sotto::bench
