#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sotto::http {

// Decodes a chunked body (RFC 9112, section 7.1) that arrives piece by piece.
// Extensions and trailers are checked, counted and dropped. Sizes are digits
// only; every line ends with CR LF.
// Threads: not thread-safe.
class ChunkDecoder {
 public:
  enum class State : std::uint8_t { kMore, kDone, kTooLong, kBad };

  // `limit`: bytes of the body. `rest`: bytes of extensions and trailers.
  ChunkDecoder(std::size_t limit, std::size_t rest)
      : limit_(limit), rest_(rest) {}

  // Appends data to `body`. Returns how many bytes are used: all, unless the
  // body ends among them or is refused.
  std::size_t Put(std::string_view bytes, std::string& body);
  State state() const { return state_; }

 private:
  enum class Place : std::uint8_t {
    kSize,       // digits
    kExtension,  // behind them
    kSizeEnd,    // LF
    kData,
    kDataReturn,   // CR behind the data
    kDataEnd,      // LF
    kTrailer,      // first byte of a line behind the last chunk
    kTrailerText,  // further ones
    kTrailerEnd,   // LF
    kEnd,          // LF of the empty line
  };

  void Step(char c);
  void TakeDigit(char c);
  void TakeSizeEnd();
  void TakeText(char c, Place end);
  void Expect(bool good, Place next);
  std::size_t TakeData(std::string_view bytes, std::string& body);

  std::size_t limit_;  // left
  std::size_t rest_;   // left
  std::uint64_t size_ = 0;
  int digits_ = 0;
  Place place_ = Place::kSize;
  State state_ = State::kMore;
};

}  // namespace sotto::http
