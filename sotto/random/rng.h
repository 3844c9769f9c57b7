#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sotto {

// A stream of uniform, independent 64-bit words: the only source of randomness
// a function may use, and always an explicit argument.
//
//   void Toss(Rng& rng) { bool heads = (rng.Next() & 1) != 0; }
//
// The words come in one fixed order, however Next() and Fill() are mixed.
// Words not yet read are wiped when the stream is destroyed. Not copyable: a
// copied stream would give the same noise twice.
//
// Threads: one stream, one thread.
class Rng {
 public:
  static constexpr std::size_t kBlockWords = 64;

  Rng() = default;
  virtual ~Rng();
  Rng(const Rng&) = delete;
  Rng& operator=(const Rng&) = delete;

  std::uint64_t Next() {
    if (position_ == kBlockWords) Refill();
    return buffer_[position_++];
  }

  void Fill(std::span<std::uint64_t> words);

 protected:
  // Replaces the words read ahead by these and wipes all others, for a stream
  // whose key moves on.
  // Requires words.size() <= kBlockWords.
  void Preload(std::span<const std::uint64_t> words);

 private:
  // Writes the next words.size() words of the stream. words.size() is a
  // positive multiple of kBlockWords.
  virtual void Produce(std::span<std::uint64_t> words) = 0;

  void Refill();
  std::size_t TakeBuffered(std::span<std::uint64_t> words);

  std::array<std::uint64_t, kBlockWords> buffer_;
  std::size_t position_ = kBlockWords;
};

}  // namespace sotto
