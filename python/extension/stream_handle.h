#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "extension/gate.h"
#include "extension/stream.h"

namespace sotto::python {

// The stream of an online model in Python: it begins with the first row, and
// each fit starts another one. A call shares ownership of the stream it starts
// with and uses no other, whatever happens to the model meanwhile.
//
// Threads: thread-safe, with the GIL.
class StreamHandle {
 public:
  using IsPythonClass = void;

  explicit StreamHandle(const OnlineModelEntry& entry) : entry_(&entry) {}

  const OnlineModelEntry& entry() const { return *entry_; }
  bool begun() const { return stream_ != nullptr; }
  // Number of resets.
  std::uint64_t beginnings() const { return beginnings_; }
  // Returns false and does nothing if it has begun, or was reset since the
  // caller read `beginnings`: `making` may hold a state that was resumed
  // already. Throws.
  bool Begin(std::uint64_t beginnings, const ModelConfig& making,
             std::vector<std::string> columns);
  // Drops the stream. Throws in a forked process.
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
