#pragma once

#include <string>
#include <string_view>

#include "sotto/base/result.h"

namespace sotto::python {

// A file that lies in memory alone, has no name that others see, and is gone
// with the object: for what reads a table from a path.
//
// Threads: not thread-safe.
class MemoryFile {
 public:
  // Fails with kUnavailable.
  static Result<MemoryFile> Create(std::string_view content);
  ~MemoryFile();
  MemoryFile(MemoryFile&& other) noexcept;
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const;

 private:
  explicit MemoryFile(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace sotto::python
