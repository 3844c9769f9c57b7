#include "sotto/random/rng.h"

#include <sodium.h>

#include <algorithm>

namespace sotto {

Rng::~Rng() { sodium_memzero(buffer_.data(), sizeof(buffer_)); }

void Rng::Fill(std::span<std::uint64_t> words) {
  words = words.subspan(TakeBuffered(words));
  const std::size_t whole = words.size() - words.size() % kBlockWords;
  if (whole > 0) Produce(words.first(whole));
  words = words.subspan(whole);
  while (!words.empty()) {
    Refill();
    words = words.subspan(TakeBuffered(words));
  }
}

void Rng::Preload(std::span<const std::uint64_t> words) {
  position_ = kBlockWords - words.size();
  // Words already read must not outlive their key.
  sodium_memzero(buffer_.data(), position_ * sizeof(buffer_[0]));
  std::copy(words.begin(), words.end(),
            buffer_.begin() + static_cast<std::ptrdiff_t>(position_));
}

void Rng::Refill() {
  const std::size_t size = RefillWords();
  Produce(std::span(buffer_).last(size));
  position_ = kBlockWords - size;
}

std::size_t Rng::TakeBuffered(std::span<std::uint64_t> words) {
  const std::size_t count = std::min(words.size(), kBlockWords - position_);
  std::copy_n(buffer_.data() + position_, count, words.data());
  position_ += count;
  return count;
}

}  // namespace sotto
