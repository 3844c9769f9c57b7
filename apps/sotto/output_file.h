#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/result.h"

namespace sotto::app {

// A file that appears whole, under its name, when it is committed: until then
// it is a hidden file beside it, which goes away if it is not. What is there
// and is no regular file (a pipe, a device), and "-", are written directly.
//
//   auto file = OutputFile::Create("predictions.txt");
//   LineWriter out(file->fd());
//   ...
//   Status done = file->Commit();
//
// Threads: not thread-safe.
class OutputFile {
 public:
  // Fails with kInvalidArgument and the system's reason.
  static Result<OutputFile> Create(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  int fd() const { return fd_; }
  // Fails with kUnavailable.
  Status Commit();

 private:
  OutputFile(int fd, std::string path, std::string hidden)
      : fd_(fd), path_(std::move(path)), hidden_(std::move(hidden)) {}

  int fd_;
  std::string path_;
  std::string hidden_;  // empty: written directly
};

// The whole of a file at once.
Status WriteOutput(const std::string& path, std::string_view text);

}  // namespace sotto::app
