#pragma once

#include <array>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <span>
#include <string>
#include <utility>

#include "sotto/service/http/transport.h"

// Included by server.cc alone: these headers take seconds to compile.
namespace sotto::http {

namespace asio = boost::asio;
using Executor = asio::io_context::executor_type;
using Socket =
    asio::basic_stream_socket<asio::generic::stream_protocol, Executor>;
using SystemError = boost::system::error_code;

// A socket without TLS. All connections of a server read into one buffer, so
// that an idle one holds none.
class PlainTransport final : public Transport {
 public:
  PlainTransport(Socket socket, std::span<char> scratch)
      : socket_(std::move(socket)), scratch_(scratch) {}

  void Start(User user) override { user->OnStarted(); }

  void Read(User user) override {
    socket_.async_wait(Socket::wait_read,
                       [this, user = std::move(user)](SystemError error) {
                         error ? user->OnEnd() : Receive(user);
                       });
  }

  void Write(std::string bytes, User user) override {
    out_.append(bytes);
    if (!writing_) Flush(std::move(user));
  }

  void EndWriting(User /*user*/) override {
    SystemError ignored;
    socket_.shutdown(Socket::shutdown_send, ignored);
  }

  void Close() override {
    SystemError ignored;
    socket_.close(ignored);
  }

 private:
  static bool Waits(const SystemError& error) {
    return error == asio::error::would_block ||
           error == asio::error::try_again || error == asio::error::interrupted;
  }

  void Receive(const User& user) {
    SystemError error;
    const std::size_t size = socket_.read_some(
        asio::buffer(scratch_.data(), scratch_.size()), error);
    if (Waits(error)) return Read(user);
    error ? user->OnEnd() : user->OnBytes({scratch_.data(), size});
  }

  void Flush(User user) {
    SystemError error;
    while (!out_.empty() && !error) {
      out_.erase(0, socket_.write_some(asio::buffer(out_), error));
    }
    writing_ = Waits(error);
    if (writing_) return FlushLater(std::move(user));
    out_ = std::string();
    error ? user->OnEnd() : user->OnWritten();
  }

  void FlushLater(User user) {
    socket_.async_wait(Socket::wait_write,
                       [this, user = std::move(user)](SystemError error) {
                         writing_ = false;
                         error ? user->OnEnd() : Flush(user);
                       });
  }

  Socket socket_;
  std::span<char> scratch_;
  std::string out_;
  bool writing_ = false;
};

// A socket with TLS.
class TlsTransport final : public Transport {
 public:
  TlsTransport(Socket socket, asio::ssl::context& context)
      : stream_(std::move(socket), context) {}

  void Start(User user) override {
    stream_.async_handshake(asio::ssl::stream_base::server,
                            [user = std::move(user)](SystemError error) {
                              error ? user->OnEnd() : user->OnStarted();
                            });
  }

  void Read(User user) override {
    if (ended_) return;  // EndWriting reads until the end
    stream_.async_read_some(
        asio::buffer(in_),
        [this, user = std::move(user)](SystemError error, std::size_t size) {
          error ? user->OnEnd() : user->OnBytes({in_.data(), size});
        });
  }

  void Write(std::string bytes, User user) override {
    waiting_.append(bytes);
    if (!writing_) Flush(std::move(user));
  }

  void EndWriting(User user) override {
    ended_ = true;
    stream_.async_shutdown(
        [user = std::move(user)](SystemError /*error*/) { user->OnEnd(); });
  }

  void Close() override {
    SystemError ignored;
    stream_.next_layer().close(ignored);
  }

 private:
  void Flush(User user) {
    writing_ = true;
    out_ = std::exchange(waiting_, std::string());
    asio::async_write(
        stream_, asio::buffer(out_),
        [this, user = std::move(user)](SystemError error, std::size_t) {
          writing_ = false;
          if (error) return user->OnEnd();
          waiting_.empty() ? user->OnWritten() : Flush(user);
        });
  }

  asio::ssl::stream<Socket> stream_;
  std::array<char, 4096> in_{};
  std::string out_;      // being written
  std::string waiting_;  // to be written next
  bool writing_ = false;
  bool ended_ = false;
};

}  // namespace sotto::http
