#pragma once

#include <cstdint>
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
class StreamHandle {
 public:
  explicit StreamHandle(const OnlineModelEntry& entry) : entry_(&entry) {}

  const OnlineModelEntry& entry() const { return *entry_; }
  bool begun() const { return stream_ != nullptr; }
  // How often it was reset.
  std::uint64_t beginnings() const { return beginnings_; }
  // False, and nothing is done, if it has begun, or was reset since somebody
  // asked how often: `making` may hold a state that went on already. Throws.
  bool Begin(std::uint64_t beginnings, const ModelConfig& making,
             std::vector<std::string> columns);
  // As if it had not begun. Throws in a process that was forked.
  void Reset();
  // Null unless it has begun; Current throws FailedPrecondition then.
  const std::shared_ptr<Stream>& stream() const { return stream_; }
  std::shared_ptr<Stream> Current() const;

 private:
  const OnlineModelEntry* entry_;
  Gate gate_;
  std::shared_ptr<Stream> stream_;
  std::uint64_t beginnings_ = 0;
};

}  // namespace sotto::python
