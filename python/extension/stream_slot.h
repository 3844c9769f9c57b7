#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "extension/gate.h"
#include "extension/stream.h"

namespace sotto::python {

// An online model as a Python object has it: a stream that begins with the
// first row, and another one after each fit. A call takes a share of the stream
// it begins with and keeps to it, whatever becomes of the model meanwhile.
//
// Threads: thread-safe, with the GIL.
class StreamSlot {
 public:
  explicit StreamSlot(const OnlineRow& row) : row_(&row) {}

  const OnlineRow& row() const { return *row_; }
  bool begun() const { return stream_ != nullptr; }
  // Unless it has begun. Throws.
  void Begin(const Making& making, std::vector<std::string> columns);
  // As if it had not begun. Throws in a process that was forked.
  void Reset();
  // Throws FailedPrecondition unless it has begun.
  std::shared_ptr<Stream> Current() const;

 private:
  const OnlineRow* row_;
  Gate gate_;
  std::shared_ptr<Stream> stream_;
};

}  // namespace sotto::python
