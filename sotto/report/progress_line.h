#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>

namespace sotto {

// On a terminal, a line that says how far a run is, and that is gone when the
// run is over. It shows the public clock.
//
// Threads: not thread-safe.
class ProgressLine {
 public:
  struct Words {
    const char* rounds = "rounds";
    const char* of = "about";  // before the horizon
  };

  // `out` may be null: nothing is shown.
  ProgressLine(std::FILE* out, std::optional<std::uint64_t> horizon)
      : ProgressLine(out, horizon, Words()) {}
  ProgressLine(std::FILE* out, std::optional<std::uint64_t> horizon,
               const Words& words)
      : out_(out), horizon_(horizon), words_(words) {}
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // After every round; writes a few times a second at most.
  void Update(std::uint64_t rounds);

 private:
  std::FILE* out_;
  bool written_ = false;
  std::optional<std::uint64_t> horizon_;
  Words words_;
  std::int64_t last_ = 0;  // milliseconds
};

}  // namespace sotto
