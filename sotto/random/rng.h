#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace sotto {

// Test hook: observes private values during a neighbour replay
// (sotto/testing/replay_rng.h).
class ReplayObserver {
 public:
  virtual ~ReplayObserver() = default;
  virtual void BeginRound(std::uint64_t round, bool hidden) = 0;
  virtual std::int64_t Observe(std::string_view site, std::int64_t value,
                               std::int64_t sensitivity) = 0;
};

// A stream of uniform, independent 64-bit words: the only source of randomness
// a function may use, and always an explicit argument.
//
//   void Toss(Rng& rng) { bool heads = (rng.Next() & 1) != 0; }
//
// Next() and Fill() may be mixed; the words come in one fixed order. Words not
// yet read are wiped when the stream is destroyed. Not copyable: a copied
// stream would give the same noise twice.
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

  // Marks a private number to which noise is added:
  //
  //   noisy = rng.Private("votes", votes, 1) + noise.Sample(rng);
  //
  // names the place, and the largest difference between neighbouring streams
  // that have the same public view so far. Returns the number itself. A replay
  // checks it and replaces it by the other stream's number.
  std::int64_t Private(std::string_view site, std::int64_t value,
                       std::int64_t sensitivity) {
    if (witness_ == nullptr) return value;
    return witness_->Observe(site, value, sensitivity);
  }
  bool watched() const { return witness_ != nullptr; }
  // Begins a round of a game. `hidden`: only its own user receives the answer.
  void BeginRound(std::uint64_t round, bool hidden) {
    if (witness_ != nullptr) witness_->BeginRound(round, hidden);
  }

 protected:
  // `witness` must outlive this object, or be this object.
  void WatchedBy(ReplayObserver* witness) { witness_ = witness; }
  // Replaces the buffered words by these and wipes all others, for a stream
  // that changes its key. Requires words.size() <= kBlockWords.
  void Preload(std::span<const std::uint64_t> words);

 private:
  // Writes the next words.size() words of the stream. words.size() is
  // RefillWords() or a positive multiple of kBlockWords.
  virtual void Produce(std::span<std::uint64_t> words) = 0;
  // How many words to buffer when the buffer is empty; in [1, kBlockWords]. The
  // words of the stream are the same for every size.
  virtual std::size_t RefillWords() const { return kBlockWords; }

  void Refill();
  std::size_t TakeBuffered(std::span<std::uint64_t> words);

  std::array<std::uint64_t, kBlockWords> buffer_;
  std::size_t position_ = kBlockWords;
  ReplayObserver* witness_ = nullptr;
};

}  // namespace sotto
