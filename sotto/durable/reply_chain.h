#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sotto {

using ReplyHash = std::array<std::uint8_t, 32>;

// A hash of everything that was replied and released so far, one item at a
// time: the same items give the same hash, wherever blocks end.
//
//   ReplyChain chain;
//   chain.Add(reply);
//   ReplyHash now = chain.hash();
//
// Threads: a value type.
class ReplyChain {
 public:
  ReplyChain() = default;
  explicit ReplyChain(const ReplyHash& hash) : hash_(hash) {}

  void Add(std::string_view item);
  const ReplyHash& hash() const { return hash_; }

 private:
  ReplyHash hash_{};
};

}  // namespace sotto
