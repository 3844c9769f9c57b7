#include "sotto/service/http/chunk_decoder.h"

#include <algorithm>

namespace sotto::http {
namespace {

constexpr int kMostDigits = 15;  // of a size: no overflow

// The value of a hexadecimal digit; -1: not one.
int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsText(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
}

}  // namespace

std::size_t ChunkDecoder::Put(std::string_view bytes, std::string& body) {
  std::size_t used = 0;
  while (used < bytes.size() && state_ == State::kMore) {
    if (place_ == Place::kData) {
      used += TakeData(bytes.substr(used), body);
    } else {
      Step(bytes[used++]);
    }
  }
  return used;
}

std::size_t ChunkDecoder::TakeData(std::string_view bytes, std::string& body) {
  const std::size_t taken = std::min<std::uint64_t>(size_, bytes.size());
  body.append(bytes.substr(0, taken));
  size_ -= taken;
  if (size_ == 0) place_ = Place::kDataReturn;
  return taken;
}

void ChunkDecoder::Expect(bool good, Place next) {
  place_ = next;
  if (!good) state_ = State::kBad;
}

void ChunkDecoder::Step(char c) {
  switch (place_) {
    case Place::kSize:
      return TakeDigit(c);
    case Place::kExtension:
      return TakeText(c, Place::kSizeEnd);
    case Place::kSizeEnd:
      return c == '\n' ? TakeSizeEnd() : Expect(false, Place::kEnd);
    case Place::kDataReturn:
      return Expect(c == '\r', Place::kDataEnd);
    case Place::kDataEnd:
      return Expect(c == '\n', Place::kSize);
    case Place::kTrailer:
      if (c == '\r') return Expect(true, Place::kEnd);
      place_ = Place::kTrailerText;
      // A folded line, or an empty name.
      if (c == ' ' || c == '\t' || c == ':') state_ = State::kBad;
      return TakeText(c, Place::kTrailerEnd);
    case Place::kTrailerText:
      return TakeText(c, Place::kTrailerEnd);
    case Place::kTrailerEnd:
      return Expect(c == '\n', Place::kTrailer);
    default:
      state_ = c == '\n' ? State::kDone : State::kBad;
  }
}

void ChunkDecoder::TakeDigit(char c) {
  const int value = DigitValue(c);
  if (value >= 0 && digits_ < kMostDigits) {
    size_ = size_ * 16 + static_cast<std::uint64_t>(value);
    ++digits_;
    return;
  }
  const bool end = c == '\r' || c == ';';
  Expect(digits_ > 0 && end, c == ';' ? Place::kExtension : Place::kSizeEnd);
}

void ChunkDecoder::TakeSizeEnd() {
  digits_ = 0;
  if (size_ > limit_) {
    state_ = State::kTooLong;
    return;
  }
  limit_ -= size_;
  place_ = size_ == 0 ? Place::kTrailer : Place::kData;
}

void ChunkDecoder::TakeText(char c, Place end) {
  if (c == '\r') {
    place_ = end;
  } else if (!IsText(c) || rest_ == 0) {
    state_ = State::kBad;
  } else {
    --rest_;
  }
}

}  // namespace sotto::http
