#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/service/http/address.h"

namespace sotto::http {

// A connection that sends any bytes, for tests.
class RawClient {
 public:
  explicit RawClient(const Address& address)
      : socket_(
            ::socket(address.is_unix() ? AF_UNIX : AF_INET, SOCK_STREAM, 0)) {
    if (address.is_unix()) {
      sockaddr_un to{};
      to.sun_family = AF_UNIX;
      std::memcpy(to.sun_path, address.path.data(), address.path.size());
      Connect(to);
    } else {
      sockaddr_in to{};
      to.sin_family = AF_INET;
      to.sin_port = htons(address.port);
      inet_pton(AF_INET, address.host.c_str(), &to.sin_addr);
      Connect(to);
    }
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient() { Close(); }

  bool connected() const { return connected_; }
  int descriptor() const { return socket_; }

  // Returns false if the other side no longer takes it.
  bool Send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent =
          ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Reads until the other side closes or is silent for that long.
  std::string ReadAll(std::chrono::milliseconds silence) {
    std::string all;
    while (Waits(silence)) {
      std::array<char, 65536> buffer;
      const ssize_t size = ::recv(socket_, buffer.data(), buffer.size(), 0);
      if (size <= 0) {
        closed_ = true;
        break;
      }
      all.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return all;
  }

  // Reads one response with its body, or what there is before the end.
  std::string ReadResponse(
      std::chrono::milliseconds patience = std::chrono::seconds(10)) {
    while (true) {
      const std::size_t size = ResponseSize();
      if (size > 0) {
        std::string response = in_.substr(0, size);
        in_.erase(0, size);
        return response;
      }
      std::array<char, 65536> buffer;
      const ssize_t got = Waits(patience)
                              ? ::recv(socket_, buffer.data(), buffer.size(), 0)
                              : 0;
      if (got <= 0) {
        closed_ = true;
        return std::exchange(in_, "");
      }
      in_.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }

  // The other side closed, as far as reading has shown.
  bool closed() const { return closed_; }
  void EndWriting() const { ::shutdown(socket_, SHUT_WR); }
  void Close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

 private:
  template <typename To>
  void Connect(const To& to) {
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&to),
                           sizeof(to)) == 0;
  }

  bool Waits(std::chrono::milliseconds time) const {
    pollfd wait{.fd = socket_, .events = POLLIN, .revents = 0};
    return ::poll(&wait, 1, static_cast<int>(time.count())) > 0;
  }

  std::size_t ResponseSize() const {
    const std::size_t head = in_.find("\r\n\r\n");
    if (head == std::string::npos) return 0;
    const std::size_t length = in_.find("Content-Length: ");
    if (length == std::string::npos || length > head) return head + 4;
    const std::size_t size = head + 4 + std::stoul(in_.substr(length + 16));
    return in_.size() >= size ? size : 0;
  }

  int socket_;
  bool connected_ = false;
  bool closed_ = false;
  std::string in_;
};

inline int ReadStatus(const std::string& response) {
  return response.starts_with("HTTP/1.1 ") ? std::stoi(response.substr(9, 3))
                                           : 0;
}

}  // namespace sotto::http
