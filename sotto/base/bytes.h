#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/base/int128.h"
#include "sotto/base/result.h"

namespace sotto {

// Appends numbers and strings to a byte string, little-endian, on every machine
// alike. ByteReader reads the same values back in the same order.
//
//   ByteWriter writer;
//   writer.Number(rounds);
//   writer.Text("tree");
//   ByteReader reader(writer.bytes());
//   auto rounds = reader.Number<std::uint64_t>();
//
// Threads: not thread-safe.
class ByteWriter {
 public:
  template <typename T>
  requires std::integral<T> || std::same_as<T, Int128>
  void Number(T value) {
    auto bits = static_cast<Uint128>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      bytes_.push_back(static_cast<char>(bits & 0xff));
      bits >>= 8;
    }
  }
  void Real(double value) { Number(std::bit_cast<std::uint64_t>(value)); }
  void Text(std::string_view text) {
    Number(static_cast<std::uint64_t>(text.size()));
    bytes_.append(text);
  }
  // Bytes without their number: the reader must know it.
  void Raw(std::string_view bytes) { bytes_.append(bytes); }

  const std::string& bytes() const& { return bytes_; }
  std::string bytes() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads the bytes of a ByteWriter. Running out of bytes is remembered, not
// fatal: reads past the end give zeros, and Finish() reports it. So a decoder
// reads all its fields and asks once.
//
// Threads: not thread-safe. The bytes must outlive the reader.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  requires std::integral<T> || std::same_as<T, Int128> T Number() {
    if (bytes_.size() < sizeof(T)) {
      failed_ = true;
      return T{};
    }
    Uint128 bits = 0;
    for (std::size_t i = sizeof(T); i-- > 0;) {
      bits = bits << 8 | static_cast<unsigned char>(bytes_[i]);
    }
    bytes_.remove_prefix(sizeof(T));
    return static_cast<T>(bits);
  }
  double Real() { return std::bit_cast<double>(Number<std::uint64_t>()); }
  std::string_view Text() { return Raw(Number<std::uint64_t>()); }
  std::string_view Raw(std::uint64_t size) {
    if (size > bytes_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return text;
  }
  // The number of items of `bytes_each` bytes that can still follow. A decoder
  // checks a count against it before it allocates.
  std::uint64_t RoomFor(std::uint64_t bytes_each) const {
    return bytes_.size() / bytes_each;
  }
  bool failed() const { return failed_; }

  // Fails with kCorruption unless everything was read and nothing is left.
  Status Finish() const {
    if (failed_) return Corruption("the bytes end too soon");
    if (!bytes_.empty()) return Corruption("bytes are left over at the end");
    return Ok();
  }

 private:
  std::string_view bytes_;
  bool failed_ = false;
};

}  // namespace sotto
