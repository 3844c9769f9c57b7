#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace sotto {

// Who looks on in a replay of two neighbouring worlds: tests alone
// (sotto/testing/replay_rng.h).
class ReplayObserver {
 public:
  virtual ~ReplayObserver() = default;
  virtual void BeginRound(std::uint64_t round, bool hidden) = 0;
  virtual std::int64_t Hear(std::string_view site, std::int64_t value,
                            std::int64_t sensitivity) = 0;
};

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

  // A private number on its way to where noise is added to it:
  //
  //   noisy = rng.Private("votes", votes, 1) + noise.Sample(rng);
  //
  // says where that is, and by how much the number may differ between
  // neighbours of which everybody has seen the same so far. It is the number
  // itself; in a replay it is looked at, and replaced by the other world's.
  std::int64_t Private(std::string_view site, std::int64_t value,
                       std::int64_t sensitivity) {
    if (witness_ == nullptr) return value;
    return witness_->Hear(site, value, sensitivity);
  }
  bool watched() const { return witness_ != nullptr; }
  // Of a game; `hidden`: only its own user hears the answer.
  void BeginRound(std::uint64_t round, bool hidden) {
    if (witness_ != nullptr) witness_->BeginRound(round, hidden);
  }

 protected:
  // Must outlive this, or be this.
  void WatchedBy(ReplayObserver* witness) { witness_ = witness; }
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
  ReplayObserver* witness_ = nullptr;
};

}  // namespace sotto
