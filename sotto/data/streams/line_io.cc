#include "sotto/data/streams/line_io.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

namespace sotto {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 16;
constexpr std::size_t kWriteBytes = std::size_t{1} << 16;

Error SystemError(const char* what) {
  return {ErrorCode::kUnavailable,
          std::string(what) + ": " + std::strerror(errno)};
}

// A stop flag is looked at this often: a signal that arrives just before a read
// would otherwise be missed.
constexpr int kStopPeriodMilliseconds = 100;

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

void LineWriter::Number(std::int64_t value) {
  std::array<char, 24> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  buffer_.append(digits.data(), end);
}

Status LineWriter::EndLine() {
  buffer_.push_back('\n');
  return buffer_.size() < kWriteBytes ? Ok() : Flush();
}

Status LineWriter::Flush() {
  std::size_t done = 0;
  Status status = Ok();
  while (status && done < buffer_.size()) {
    const ssize_t written =
        ::write(fd_, buffer_.data() + done, buffer_.size() - done);
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno != EINTR || (stop_ != nullptr && *stop_ != 0)) {
      closed_ = errno == EPIPE;
      status = SystemError("cannot write the output");
    }
  }
  buffer_.erase(0, done);  // Written bytes are not written again.
  return status;
}

LineReader::LineReader(int fd, BeforeWaiting before_waiting,
                       const volatile std::sig_atomic_t* stop,
                       LongLines long_lines)
    : LineReader(FileBytes(fd, /*owned=*/false), std::move(before_waiting),
                 stop, kMaxLine, long_lines) {}

LineReader::LineReader(std::unique_ptr<ByteSource> source,
                       BeforeWaiting before_waiting,
                       const volatile std::sig_atomic_t* stop,
                       std::size_t max_line, LongLines long_lines)
    : source_(std::move(source)),
      before_waiting_(std::move(before_waiting)),
      stop_(stop),
      max_line_(max_line),
      long_lines_(long_lines),
      buffer_(kReadBytes) {}

std::optional<std::string_view> LineReader::Next() {
  if (cut_ && !PassOverRest()) return std::nullopt;
  std::size_t searched = 0;
  while (status_ && !Stopped()) {
    const char* from = buffer_.data() + begin_ + searched;
    const std::size_t unsearched = end_ - begin_ - searched;
    if (const void* newline = std::memchr(from, '\n', unsearched)) {
      const auto size = static_cast<std::size_t>(
          static_cast<const char*>(newline) - (buffer_.data() + begin_));
      if (size > max_line_) return TooLong();
      return Take(size, 1);
    }
    searched = end_ - begin_;
    if (searched > max_line_) return TooLong();
    if (at_end_) {
      if (searched == 0) return std::nullopt;
      return Take(searched, 0);
    }
    if (!Refill()) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::string_view> LineReader::TooLong() {
  if (long_lines_ == LongLines::kCut) {
    cut_ = true;
    return Take(max_line_, 0);
  }
  status_ = InvalidArgument("line " + std::to_string(line_number_ + 1) +
                            " is longer than " +
                            std::to_string(max_line_ >> 20) + " MiB");
  return std::nullopt;
}

// False after a failure or a stop.
bool LineReader::PassOverRest() {
  while (status_ && !Stopped()) {
    const char* from = buffer_.data() + begin_;
    const void* newline = std::memchr(from, '\n', end_ - begin_);
    if (newline != nullptr || at_end_) {
      begin_ =
          newline == nullptr
              ? end_
              : static_cast<std::size_t>(static_cast<const char*>(newline) + 1 -
                                         buffer_.data());
      cut_ = false;
      return true;
    }
    begin_ = end_;
    if (!Refill()) return false;
  }
  return false;
}

std::string_view LineReader::Take(std::size_t size, std::size_t skip) {
  std::string_view line(buffer_.data() + begin_, size);
  begin_ += size + skip;
  ++line_number_;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (line_number_ == 1 && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool LineReader::Waits(int milliseconds) {
  while (milliseconds > 0 && !Stopped()) {
    const int step = std::min(milliseconds, kStopPeriodMilliseconds);
    if (!source_->WouldWait(step)) return false;
    milliseconds -= step;
  }
  return !Stopped();
}

bool LineReader::Refill() {
  if (source_->WouldWait(0)) {
    status_ = before_waiting_([this](int time) { return Waits(time); });
    if (!status_) return false;
    while (stop_ != nullptr && !Stopped() &&
           source_->WouldWait(kStopPeriodMilliseconds)) {
    }
    if (Stopped()) return false;
  }
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ + kReadBytes > buffer_.size()) buffer_.resize(end_ + kReadBytes);
  const auto got = source_->Read(std::span(buffer_).subspan(end_, kReadBytes));
  if (Stopped()) return false;
  if (!got) {
    status_ = got.error();
    return false;
  }
  at_end_ = got->end;
  end_ += got->bytes;
  return true;
}

std::optional<std::int64_t> ParseCount(std::string_view line) {
  line = Trim(line);
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc{} || end != line.data() + line.size() || value < 0 ||
      line.starts_with('-')) {
    return std::nullopt;
  }
  return value;
}

std::optional<double> ParseReal(std::string_view line) {
  line = Trim(line);
  if (line.starts_with('+')) line.remove_prefix(1);
  double value = 0;
  const auto [end, error] =
      std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc{} || end != line.data() + line.size() ||
      !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

}  // namespace sotto
