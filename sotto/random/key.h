#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"

namespace sotto {

// One item of the context of a derived key: an unsigned integer or a byte
// string. Their encodings never collide. Holds a reference to the bytes: pass
// it, do not store it.
class ContextItem {
 public:
  // Excludes 128-bit integers, which some modes count as integral and which
  // would be truncated.
  template <std::unsigned_integral T>
  requires(sizeof(T) <= sizeof(std::uint64_t)) ContextItem(T number)
      : number_(number) {}
  template <std::convertible_to<std::string_view> T>
  ContextItem(const T& text)
      : is_bytes_(true),
        bytes_(std::as_bytes(std::span(std::string_view(text)))) {}
  ContextItem(std::span<const std::byte> bytes)
      : is_bytes_(true), bytes_(bytes) {}

  bool is_bytes() const { return is_bytes_; }
  std::uint64_t number() const { return number_; }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  bool is_bytes_ = false;
  std::uint64_t number_ = 0;
  std::span<const std::byte> bytes_;
};

// 32 secret bytes, wiped on destruction, and the keys derived from them.
//
//   auto root = Key::Generate();
//   Key noise = root->Derive("noise-v1", "stopper", {"model-a", round});
//   ChaChaRng rng(noise);
//
// Guarantee: keys derived for different (domain, purpose, context) look
// independent and uniform to anyone without this key, if keyed BLAKE2b is a
// pseudo-random function. See key.md.
// Threads: a value type; const calls may run at the same time.
class Key {
 public:
  static constexpr std::size_t kBytes = 32;

  // From the operating system. Fails with kUnavailable if it gives none.
  static Result<Key> Generate();
  static Key FromBytes(std::span<const std::byte, kBytes> bytes);

  Key(const Key&) = default;
  Key& operator=(const Key&) = default;
  ~Key();

  Key Derive(std::string_view domain, std::string_view purpose,
             std::initializer_list<ContextItem> context) const {
    return Derive(domain, purpose, std::span(context.begin(), context.size()));
  }
  Key Derive(std::string_view domain, std::string_view purpose,
             std::span<const ContextItem> context) const;

  // 128 bits of the keyed hash of some bytes, at half the cost of Derive. Use a
  // key that serves no other purpose.
  std::array<std::uint64_t, 2> Hash(std::string_view bytes) const;

  std::span<const std::byte, kBytes> bytes() const { return bytes_; }

  // Writes the key into a saved state, which is then as secret as the key.
  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  static Result<Key> Load(ByteReader& reader);

 private:
  Key() = default;

  std::array<std::byte, kBytes> bytes_{};
};

}  // namespace sotto
