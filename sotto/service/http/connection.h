#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/service/http/handler.h"
#include "sotto/service/http/request_parser.h"
#include "sotto/service/http/server_limits.h"
#include "sotto/service/http/transport.h"

namespace sotto::http {

class Connection;
using Clock = std::chrono::steady_clock;

// The server, as a connection sees it.
class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  virtual const Limits& limits() const = 0;
  virtual Clock::time_point now() const = 0;
  virtual bool draining() const = 0;
  // Bytes of bodies that all connections hold.
  virtual std::size_t& buffered() = 0;
  // Returns a function that calls `work` on the server's thread, at once if it
  // is called there, and never after the server is gone.
  virtual std::function<void(std::function<void()>)> Executor() = 0;

  // Calls `work` on the server's thread at the next multiple of this time.
  virtual void CallOnGrid(std::chrono::milliseconds grid,
                          std::function<void()> work) = 0;

  virtual void OnRequest(Connection& connection) = 0;  // the first byte is here
  virtual void OnHead(bool good) = 0;
  virtual void OnIdle(Connection& connection) = 0;
  virtual void OnClosed(Connection& connection) = 0;
};

// One client's connection: reads a request, hands it to the handler, writes the
// response, and begins again. Requests behind one another (pipelining) wait
// their turn. Every phase has one deadline.
// Threads: the server's.
class Connection final : public TransportUser,
                         public std::enable_shared_from_this<Connection> {
 public:
  // Owner and handler must outlive it. `reply_grid` as in Listener.
  Connection(ConnectionOwner& owner, const Handler& handler,
             std::unique_ptr<Transport> transport,
             std::chrono::milliseconds reply_grid);

  void Start();
  // Acts on a deadline that has passed.
  void CheckDeadline(Clock::time_point now);
  // Closes; a request that is being read ends as cut.
  void Close();
  bool idle() const { return phase_ == Phase::kIdle; }
  // Ends a body that comes piece by piece; otherwise does nothing.
  void EndStream();

  void OnStarted() override;
  void OnBytes(std::string_view bytes) override;
  void OnWritten() override;
  void OnEnd() override;

 private:
  enum class Phase : std::uint8_t {
    kStarting,
    kIdle,  // no byte of a request yet
    kHead,
    kBody,
    kWorking,  // the handler has it
    kWriting,
    kStreaming,  // the body comes piece by piece
    kLingering,  // the response is out; drops what still comes
    kClosed,
  };

  void Enter(Phase phase, std::chrono::milliseconds allowed);
  // Does what can be done with the bytes that are here.
  void Advance();
  bool Step();
  void Read();
  bool BeginRequest();
  bool ReadHead();
  bool ReadBody();
  void Consume();
  bool Decide();
  Accepted Ask(const Request& request);
  bool FinishBody(BodyEnd end);
  Reply MakeReply();
  void TakeReply(std::uint64_t serial, Response response);
  void SendReply(std::uint64_t serial, Response response);
  bool Refuse(int status);
  void Send(Response response);
  void BeginStream(const Response& response);
  void WriteChunk(std::string_view piece);
  void Account();

  ConnectionOwner& owner_;
  const Handler& handler_;
  std::unique_ptr<Transport> transport_;
  std::chrono::milliseconds reply_grid_;
  Phase phase_ = Phase::kStarting;
  Clock::time_point deadline_;
  std::string in_;  // read and not used
  std::optional<RequestParser> parser_;
  std::optional<Accepted> accepted_;  // until its body has ended
  std::uint64_t serial_ = 0;          // of the request
  std::size_t charged_ = 0;           // to ConnectionOwner::buffered
  std::size_t lingered_ = 0;
  std::size_t unsent_ = 0;  // bytes of pieces that the client did not take yet
  // Shared with the writer of pieces; null before the first.
  std::shared_ptr<std::atomic<bool>> streaming_;
  bool head_only_ = false;
  bool close_ = false;  // after the response
  bool reading_ = false;
  bool advancing_ = false;
};

}  // namespace sotto::http
