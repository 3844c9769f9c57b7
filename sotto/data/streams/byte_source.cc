#include "sotto/data/streams/byte_source.h"

#include <poll.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace sotto {
namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(int fd, bool owned) : fd_(fd), owned_(owned) {}
  ~FileSource() override {
    if (owned_) ::close(fd_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  bool WouldWait(int milliseconds) override {
    pollfd request{.fd = fd_, .events = POLLIN, .revents = 0};
    return ::poll(&request, 1, milliseconds) <= 0;
  }
  Result<Got> Read(std::span<char> into) override {
    const ssize_t got = ::read(fd_, into.data(), into.size());
    if (got < 0 && errno == EINTR) return Got{};
    if (got < 0) {
      return Error{
          ErrorCode::kUnavailable,
          std::string("cannot read the input: ") + std::strerror(errno)};
    }
    return Got{static_cast<std::size_t>(got), got == 0};
  }

 private:
  int fd_;
  bool owned_;
};

// Plain until the first two bytes say otherwise.
class UnpackingSource final : public ByteSource {
 public:
  explicit UnpackingSource(std::unique_ptr<ByteSource> packed)
      : packed_(std::move(packed)) {}
  ~UnpackingSource() override {
    if (mode_ == Mode::kGzip) ::inflateEnd(&inflater_);
  }
  UnpackingSource(const UnpackingSource&) = delete;
  UnpackingSource& operator=(const UnpackingSource&) = delete;

  bool WouldWait(int milliseconds) override {
    if (mode_ != Mode::kUnknown && begin_ < end_) return false;
    return packed_->WouldWait(milliseconds);
  }

  Result<Got> Read(std::span<char> into) override {
    if (mode_ == Mode::kUnknown) {
      SOTTO_TRY(Decide());
      if (mode_ == Mode::kUnknown) return Got{};
    }
    if (mode_ == Mode::kGzip) return Inflate(into);
    if (begin_ == end_) return packed_->Read(into);
    const std::size_t size = std::min(into.size(), end_ - begin_);
    std::memcpy(into.data(), buffer_.data() + begin_, size);
    begin_ += size;
    return Got{size, false};
  }

 private:
  enum class Mode { kUnknown, kPlain, kGzip };
  static constexpr int kGzipOnly = 15 + 16;  // window bits, gzip header

  // Bytes go behind those that are still there.
  Status Fill() {
    if (begin_ == end_) begin_ = end_ = 0;
    SOTTO_TRY_ASSIGN(const auto got,
                     packed_->Read(std::span(buffer_).subspan(end_)));
    end_ += got.bytes;
    ended_ = got.end;
    return Ok();
  }

  Status Decide() {
    SOTTO_TRY(Fill());
    if (end_ < 2 && !ended_) return Ok();
    if (end_ < 2 || buffer_[0] != '\x1f' || buffer_[1] != '\x8b') {
      mode_ = Mode::kPlain;
      return Ok();
    }
    if (::inflateInit2(&inflater_, kGzipOnly) != Z_OK) {
      return Unavailable("cannot start to unpack gzip");
    }
    mode_ = Mode::kGzip;
    return Ok();
  }

  Result<Got> Inflate(std::span<char> into) {
    if (begin_ == end_ && !ended_) {
      SOTTO_TRY(Fill());
    }
    if (begin_ == end_) {
      if (!ended_) return Got{};
      if (between_members_) return Got{0, true};
      return InvalidArgument("the gzip data ends in the middle: truncated?");
    }
    inflater_.next_in = reinterpret_cast<Bytef*>(buffer_.data() + begin_);
    inflater_.avail_in = static_cast<uInt>(end_ - begin_);
    inflater_.next_out = reinterpret_cast<Bytef*>(into.data());
    inflater_.avail_out = static_cast<uInt>(into.size());
    if (between_members_) ::inflateReset(&inflater_);
    between_members_ = false;
    const int outcome = ::inflate(&inflater_, Z_NO_FLUSH);
    begin_ = end_ - inflater_.avail_in;
    if (outcome == Z_STREAM_END) {
      between_members_ = true;
    } else if (outcome != Z_OK && outcome != Z_BUF_ERROR) {
      return InvalidArgument(
          std::string("the gzip data is damaged: ") +
          (inflater_.msg != nullptr ? inflater_.msg : "unknown reason"));
    }
    return Got{into.size() - inflater_.avail_out, false};
  }

  std::unique_ptr<ByteSource> packed_;
  Mode mode_ = Mode::kUnknown;
  z_stream inflater_{};
  bool between_members_ = false;
  bool ended_ = false;
  std::array<char, std::size_t{1} << 16> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> FileBytes(int fd, bool owned) {
  return std::make_unique<FileSource>(fd, owned);
}

std::unique_ptr<ByteSource> Unpacked(std::unique_ptr<ByteSource> packed) {
  return std::make_unique<UnpackingSource>(std::move(packed));
}

}  // namespace sotto
