#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/data/streams/byte_source.h"

namespace sotto {

// Collects lines and writes them to a file descriptor in large pieces.
//
// Threads: not thread-safe.
class LineWriter {
 public:
  // If `stop` is given, a signal handler may set it: a write that waits for its
  // reader then fails instead of waiting on.
  explicit LineWriter(int fd, const volatile std::sig_atomic_t* stop = nullptr)
      : fd_(fd), stop_(stop) {}

  void Text(std::string_view text) { buffer_.append(text); }
  void Number(std::int64_t value);
  // Ends the line, and writes what has gathered once it is a lot.
  // Fails with kUnavailable and the system's reason.
  Status EndLine();
  Status Flush();
  // True if a write has failed because its reader has gone.
  bool closed() const { return closed_; }

 private:
  int fd_;
  const volatile std::sig_atomic_t* stop_;
  bool closed_ = false;
  std::string buffer_;
};

// Returns whether the input has nothing for this many milliseconds; an
// interrupt cuts it short.
using StillWaits = std::function<bool(int milliseconds)>;
// The call before a read that would wait. It may ask how long that lasts.
using BeforeWaiting = std::function<Status(const StillWaits&)>;

// Reads lines from a file descriptor or another source, as fast as they come.
// Whenever the next read would wait, `before_waiting` is called first, so that
// the other end of a pipe has every answer that is due.
//
//   LineWriter out(STDOUT_FILENO);
//   LineReader in(STDIN_FILENO, [&](auto&) { return out.Flush(); });
//   while (auto line = in.Next()) { ... *line ... in.line_number() ... }
//   if (!in.status()) return in.status().error();
//
// Threads: not thread-safe.
class LineReader {
 public:
  // The maximum length of a line, in bytes, in every format.
  static constexpr std::size_t kMaxLine = std::size_t{1} << 24;

  // The treatment of a line beyond the limit: the reading fails; or its first
  // part is given, the rest is passed over, and reading continues. Where a line
  // belongs to a user, one of them must not end the reading for all others.
  enum class LongLines { kFail, kCut };

  // If `stop` is given, a signal handler may set it: the input then ends as if
  // there were no more.
  LineReader(int fd, BeforeWaiting before_waiting,
             const volatile std::sig_atomic_t* stop = nullptr,
             LongLines long_lines = LongLines::kFail);
  LineReader(std::unique_ptr<ByteSource> source, BeforeWaiting before_waiting,
             const volatile std::sig_atomic_t* stop, std::size_t max_line,
             LongLines long_lines = LongLines::kFail);

  // The next line without its end ("\n" or "\r\n"), valid until the next call;
  // nothing at the end of the input or after a failure. A last line without a
  // newline counts; a byte-order mark before the first does not.
  std::optional<std::string_view> Next();
  // The number of the line that Next() returned last, from 1.
  std::uint64_t line_number() const { return line_number_; }
  // True if the line that Next() returned last is only the first part of one.
  bool cut() const { return cut_; }
  std::size_t max_line() const { return max_line_; }
  // Why Next() returned nothing: Ok at the end of the input; kUnavailable if a
  // read failed, kInvalidArgument if a line is longer than allowed (kMaxLine by
  // default), or the failure of the source or of `before_waiting`.
  const Status& status() const { return status_; }

 private:
  bool Stopped() const { return stop_ != nullptr && *stop_ != 0; }
  // Looks again and again, so that an interrupt is seen.
  bool Waits(int milliseconds);
  bool Refill();
  bool PassOverRest();
  std::optional<std::string_view> TooLong();
  std::string_view Take(std::size_t size, std::size_t skip);

  std::unique_ptr<ByteSource> source_;
  BeforeWaiting before_waiting_;
  const volatile std::sig_atomic_t* stop_;
  std::size_t max_line_;
  LongLines long_lines_;
  bool cut_ = false;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool at_end_ = false;
  std::uint64_t line_number_ = 0;
  Status status_ = Ok();
};

// The whole line as a non-negative integer below 2^63; surrounding blanks are
// allowed. Nothing if it is anything else.
std::optional<std::int64_t> ParseCount(std::string_view line);

// The whole line as a finite real number, in the usual decimal notation;
// surrounding blanks and a leading plus are allowed. Nothing if it is anything
// else.
std::optional<double> ParseReal(std::string_view line);

}  // namespace sotto
