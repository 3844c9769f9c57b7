#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sotto/random/rng.h"

namespace sotto {

// The fast lane of a threshold test: noise is drawn 64 values at a time, which
// is several times cheaper, and used one value per query, so queries may still
// depend on earlier answers.
//
//   ThresholdStream stream(test, rng);
//   if (stream.Test(count) == ThresholdAnswer::kAbove) ...
//
// Noise drawn ahead belongs to this object: it is wiped when the stream ends
// and never saved. So the test may be saved between two queries, and a copy
// that is loaded draws its own. Not for HistoryRng, whose point is that noise
// is drawn after the input: use Test(value, rng) there.
//
// Threads: one stream, one thread. Test and Rng must outlive it.
template <typename Mechanism>
class ThresholdStream {
 public:
  ThresholdStream(Mechanism& mechanism, Rng& rng)
      : mechanism_(&mechanism), rng_(&rng) {}
  ~ThresholdStream() { Wipe(); }
  ThresholdStream(const ThresholdStream&) = delete;
  ThresholdStream& operator=(const ThresholdStream&) = delete;

  auto Test(std::int64_t value) {
    if (next_ == noise_.size()) {
      mechanism_->FillNoise(noise_, *rng_);
      next_ = 0;
    }
    return mechanism_->Decide(value, noise_[next_++], *rng_);
  }

 private:
  void Wipe() {
    volatile std::int64_t* words = noise_.data();
    for (std::size_t i = 0; i < noise_.size(); ++i) words[i] = 0;
  }

  Mechanism* mechanism_;
  Rng* rng_;
  std::array<std::int64_t, 64> noise_{};
  std::size_t next_ = 64;
};

// Many queries that are known beforehand. Every answer after the halt is the
// mechanism's word for it. Draws in another order than one call per query.
template <typename Mechanism, typename Answer>
void TestInBatches(Mechanism& mechanism, std::span<const std::int64_t> values,
                   std::span<Answer> answers, Rng& rng) {
  constexpr std::size_t kBatch = 256;
  std::array<std::int64_t, kBatch> noise;
  const std::size_t count = std::min(values.size(), answers.size());
  for (std::size_t first = 0; first < count; first += kBatch) {
    const std::size_t size = std::min(kBatch, count - first);
    const auto draws = std::span(noise).first(size);
    if (mechanism.halted()) {
      std::ranges::fill(draws, 0);  // Not used.
    } else {
      mechanism.FillNoise(draws, rng);
    }
    for (std::size_t i = 0; i < size; ++i) {
      answers[first + i] = mechanism.Decide(values[first + i], noise[i], rng);
    }
  }
}

}  // namespace sotto
