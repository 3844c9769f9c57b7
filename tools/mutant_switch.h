#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>

// The switches of a build for mutation testing (tools/mutants.py): the
// environment variable SOTTO_MUTANT chooses one mutant; with
// SOTTO_MUTANT_TRACE every switch that is reached is noted
// (mutant_listener.cc).

namespace sotto_mutants {

class Switches {
 public:
  static constexpr int kMost = 1 << 18;

  static Switches& Get() {
    static Switches switches;
    return switches;
  }
  bool IsOn(int number) {
    if (traces_) {
      reached_[static_cast<std::size_t>(number)].store(
          true, std::memory_order_relaxed);
    }
    return number == chosen_;
  }
  // Calls visit(number) of every switch reached since the last call.
  template <typename Visit>
  void TakeReached(const Visit& visit) {
    for (int number = 0; number < kMost; ++number) {
      if (reached_[static_cast<std::size_t>(number)].exchange(false)) {
        visit(number);
      }
    }
  }

 private:
  Switches()
      : traces_(std::getenv("SOTTO_MUTANT_TRACE") != nullptr),
        chosen_(std::getenv("SOTTO_MUTANT") == nullptr
                    ? 0
                    : std::atoi(std::getenv("SOTTO_MUTANT"))) {}

  bool traces_;
  int chosen_;
  std::array<std::atomic<bool>, kMost> reached_ = {};
};

}  // namespace sotto_mutants

inline bool sotto_mutant(int number) {
  return sotto_mutants::Switches::Get().IsOn(number);
}
