#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sotto/random/rng.h"

namespace sotto::testing {

// Gives a list of words, then zeros, for tests that control a sampler.
//
//   testing::ScriptedRng rng({5, 0});
//
// Threads: one stream, one thread.
class ScriptedRng final : public Rng {
 public:
  explicit ScriptedRng(std::vector<std::uint64_t> words)
      : words_(std::move(words)) {}

 private:
  void Produce(std::span<std::uint64_t> words) override {
    for (std::uint64_t& word : words) {
      word = next_ < words_.size() ? words_[next_] : 0;
      ++next_;
    }
  }

  std::vector<std::uint64_t> words_;
  std::size_t next_ = 0;
};

}  // namespace sotto::testing
