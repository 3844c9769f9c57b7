#pragma once

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>

// The switches of a build for mutation testing (tools/mutants.py): the
// environment variable SOTTO_MUTANT chooses one mutant, and SOTTO_MUTANT_TRACE
// names a file to which the numbers of all reached switches are written at
// exit.

namespace sotto_mutants {

class Switches {
 public:
  static constexpr int kMost = 1 << 14;

  static Switches& Get() {
    static Switches switches;
    return switches;
  }
  bool IsOn(int number) {
    if (trace_ != nullptr) {
      reached_[static_cast<std::size_t>(number)].store(
          true, std::memory_order_relaxed);
    }
    return number == chosen_;
  }

 private:
  Switches()
      : trace_(std::getenv("SOTTO_MUTANT_TRACE")),
        chosen_(std::getenv("SOTTO_MUTANT") == nullptr
                    ? 0
                    : std::atoi(std::getenv("SOTTO_MUTANT"))) {}
  ~Switches() {
    std::FILE* file = trace_ == nullptr ? nullptr : std::fopen(trace_, "w");
    if (file == nullptr) return;
    for (int number = 0; number < kMost; ++number) {
      if (reached_[static_cast<std::size_t>(number)]) {
        std::fprintf(file, "%d\n", number);
      }
    }
    std::fclose(file);
  }

  const char* trace_;
  int chosen_;
  std::array<std::atomic<bool>, kMost> reached_ = {};
};

}  // namespace sotto_mutants

inline bool sotto_mutant(int number) {
  return sotto_mutants::Switches::Get().IsOn(number);
}
