#pragma once

#include <csignal>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "sotto/base/result.h"
#include "sotto/data/streams/line_io.h"

namespace sotto {

// How a stream is read, whatever its format.
struct InputParams {
  // Called before a read that would wait: the other end of a pipe may be
  // waiting for answers that are due.
  BeforeWaiting before_waiting = [](const StillWaits&) { return Ok(); };
  // A signal handler may set it: the input then ends as if there were no more.
  const volatile std::sig_atomic_t* stop = nullptr;
  // Input that is gzipped, by its first bytes, is unpacked on the way. Not
  // where the first bytes are a user's row, unless the name says so.
  bool unpack = true;
  // A longer line is cut (LineReader::cut).
  std::size_t max_line = LineReader::kMaxLine;
};

// Opens `path` ("-" is standard input) for reading by lines; a byte-order mark
// is dropped.
//
//   auto lines = OpenLines("data.csv.gz", {});
//   while (const auto line = (*lines)->Next()) { ... }
//   if (!(*lines)->status()) return (*lines)->status().error();
//
// Fails with kInvalidArgument if the file cannot be opened.
Result<std::unique_ptr<LineReader>> OpenLines(const std::string& path,
                                              InputParams params);

// True if the name of a file says that it is gzipped.
bool NamedGzip(std::string_view path);

// The name in messages: the path, or "standard input".
std::string InputName(const std::string& path);

}  // namespace sotto
