#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "sotto/base/result.h"

namespace sotto {

// Where bytes come from: a seam to the outside.
class ByteSource {
 public:
  struct Got {
    std::size_t bytes = 0;  // 0 does not mean the end: ask again
    bool end = false;
  };
  virtual ~ByteSource() = default;
  // True if nothing can be read within that time.
  virtual bool WouldWait(int milliseconds) = 0;
  // Fails with kUnavailable and the system's reason, or with kInvalidArgument
  // if the bytes are not what they claim to be.
  virtual Result<Got> Read(std::span<char> into) = 0;
};

// The bytes of a file descriptor. A read that a signal interrupts gives nothing
// and is not a failure. Closes `fd` in the end if it is `owned`.
std::unique_ptr<ByteSource> FileBytes(int fd, bool owned);

// The same bytes, unpacked if the first two say that they are gzip. Several
// members one after the other are one stream, as for gzip itself. Input that
// ends inside a member, fails its checksum, or continues with something else is
// an error.
std::unique_ptr<ByteSource> Unpacked(std::unique_ptr<ByteSource> packed);

}  // namespace sotto
