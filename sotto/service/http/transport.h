#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace sotto::http {

// Called by a transport, on the server's thread, maybe before the call that
// causes it returns.
class TransportUser {
 public:
  virtual ~TransportUser() = default;
  virtual void OnStarted() = 0;
  virtual void OnBytes(std::string_view bytes) = 0;
  virtual void OnWritten() = 0;  // all that was written
  virtual void OnEnd() = 0;      // the other side is gone, or an error
};

// A connection's bytes, with or without TLS. A user that is passed to a call
// lives until it is called back.
// Threads: the server's.
class Transport {
 public:
  using User = std::shared_ptr<TransportUser>;

  virtual ~Transport() = default;
  // Shakes hands, if there is a need to. Then OnStarted or OnEnd.
  virtual void Start(User user) = 0;
  // Then OnBytes or OnEnd. One at a time.
  virtual void Read(User user) = 0;
  // Then OnWritten or OnEnd. Appends to what is still being written.
  virtual void Write(std::string bytes, User user) = 0;
  // Says that nothing more is written; reading is still possible.
  virtual void EndWriting(User user) = 0;
  // Ends everything. Nothing is called afterwards but OnEnd.
  virtual void Close() = 0;
};

}  // namespace sotto::http
