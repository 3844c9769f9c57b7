#include "sotto/service/client/http_client.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace sotto {
namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kUnix = "unix:";

Error Lost(const std::string& what) {
  return Unavailable(what + ": " + std::strerror(errno));
}

// Bounds every call on the socket, connecting included.
void SetTimeout(int made, int seconds) {
  const timeval limit{.tv_sec = seconds, .tv_usec = 0};
  setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

int ConnectUnix(const std::string& path, int seconds) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (path.size() >= sizeof(to.sun_path)) return -1;
  std::memcpy(to.sun_path, path.data(), path.size());
  const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  SetTimeout(made, seconds);
  if (connect(made, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0) {
    return made;
  }
  close(made);
  return -1;
}

int ConnectTcp(const std::string& host, const std::string& port, int seconds) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return -1;
  int made = -1;
  for (const addrinfo* at = found; at != nullptr && made < 0;
       at = at->ai_next) {
    made = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    SetTimeout(made, seconds);
    if (made >= 0 && connect(made, at->ai_addr, at->ai_addrlen) != 0) {
      close(made);
      made = -1;
    }
  }
  freeaddrinfo(found);
  const int on = 1;
  if (made >= 0) setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return made;
}

bool IsPause(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

// The value of a field of a response head; empty if it has none.
std::string_view FindField(std::string_view head, std::string_view name) {
  while (!head.empty()) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    const std::size_t colon = std::min(line.find(':'), line.size());
    if (colon != name.size() ||
        strncasecmp(line.data(), name.data(), colon) != 0) {
      continue;
    }
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    while (value.starts_with(' ')) value.remove_prefix(1);
    return value;
  }
  return {};
}

std::size_t ToSize(std::string_view digits) {
  std::size_t size = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), size);
  return size;
}

// No line of the head can end early, or hold another request.
bool HasControl(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < ' ' || c == 127; });
}

bool IsProper(const HttpClient::Request& request) {
  return !HasControl(request.path) &&
         request.path.find(' ') == std::string::npos &&
         std::none_of(request.fields.begin(), request.fields.end(),
                      [](const auto& field) {
                        return HasControl(field.first) ||
                               HasControl(field.second);
                      });
}

}  // namespace

Result<HttpClient> HttpClient::Open(std::string_view url, int seconds) {
  if (url.starts_with(kUnix)) {
    return HttpClient("localhost", "", std::string(url.substr(kUnix.size())),
                      seconds);
  }
  if (!url.starts_with(kHttp)) {
    return InvalidArgument("'" + std::string(url) +
                           "' is not an address. Use http://HOST:PORT or "
                           "unix:PATH; for https use curl.");
  }
  url.remove_prefix(kHttp.size());
  url = url.substr(0, url.find('/'));
  const std::size_t colon = url.rfind(':');
  if (colon == std::string_view::npos || url.ends_with(']')) {
    return HttpClient(std::string(url), "80", "", seconds);
  }
  return HttpClient(std::string(url.substr(0, colon)),
                    std::string(url.substr(colon + 1)), "", seconds);
}

HttpClient::HttpClient(HttpClient&& other) noexcept
    : host_(std::move(other.host_)),
      port_(std::move(other.port_)),
      path_(std::move(other.path_)),
      seconds_(other.seconds_),
      socket_(std::exchange(other.socket_, -1)),
      in_(std::move(other.in_)),
      patient_(std::move(other.patient_)) {}

HttpClient::~HttpClient() { Close(); }

void HttpClient::Close() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
  in_.clear();
}

// True for a connection that the server closed between two requests.
bool HttpClient::EndedByPeer() const {
  char byte = 0;
  const ssize_t size = recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return size == 0 || (size < 0 && !IsPause(errno));
}

Status HttpClient::Connect() {
  if (socket_ >= 0 && EndedByPeer()) Close();
  if (socket_ >= 0) return Ok();
  std::string host = host_;
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  socket_ = path_.empty() ? ConnectTcp(host, port_, seconds_)
                          : ConnectUnix(path_, seconds_);
  if (socket_ >= 0) return Ok();
  return Lost("cannot connect to " +
              (path_.empty() ? host_ + ":" + port_ : path_));
}

Status HttpClient::Send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent =
        send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return Lost("cannot send");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return Ok();
}

// False: the patience ended first.
bool HttpClient::WaitForBytes() const {
  constexpr int kAskEvery = 200;  // milliseconds
  pollfd bytes{.fd = socket_, .events = POLLIN, .revents = 0};
  while (poll(&bytes, 1, kAskEvery) <= 0) {
    errno = ETIMEDOUT;
    if (!patient_()) return false;
  }
  return true;
}

Status HttpClient::ReadMore() {
  if (patient_ && !WaitForBytes()) return Lost("no answer");
  std::array<char, 65536> buffer;
  ssize_t size = -1;
  do {
    size = recv(socket_, buffer.data(), buffer.size(), 0);
  } while (size < 0 && errno == EINTR);
  if (size < 0) return Lost("cannot receive");
  if (size == 0) {
    return Unavailable("the connection ended before the response did");
  }
  in_.append(buffer.data(), static_cast<std::size_t>(size));
  return Ok();
}

Result<HttpClient::Response> HttpClient::Receive() {
  std::size_t head = std::string::npos;
  while ((head = in_.find("\r\n\r\n")) == std::string::npos) {
    SOTTO_TRY(ReadMore());
  }
  const std::string fields = in_.substr(0, head);
  in_.erase(0, head + 4);
  const std::size_t length = ToSize(FindField(fields, "Content-Length"));
  while (in_.size() < length) SOTTO_TRY(ReadMore());
  Response response{
      .status = static_cast<int>(ToSize(std::string_view(fields).substr(9, 3))),
      .body = in_.substr(0, length),
      .wait = static_cast<int>(std::min<std::size_t>(
          3600, ToSize(FindField(fields, "Retry-After"))))};
  in_.erase(0, length);
  while (response.body.ends_with(' ')) response.body.pop_back();
  if (FindField(fields, "Connection") == "close") Close();
  return response;
}

Result<HttpClient::Response> HttpClient::Ask(const Request& request,
                                             bool* sent) {
  if (!IsProper(request)) {
    return InvalidArgument(
        "names of models, users and keys hold no control characters, and "
        "names of models no blanks");
  }
  SOTTO_TRY(Connect());
  std::string text = request.method + " " + request.path +
                     " HTTP/1.1\r\nHost: " + host_ +
                     (port_.empty() ? "" : ":" + port_) + "\r\n";
  for (const auto& [name, value] : request.fields) {
    text.append(name).append(": ").append(value).append("\r\n");
  }
  if (request.method != "GET") {
    text += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  }
  text.append("\r\n").append(request.body);
  if (const Status left = Send(text); !left) {
    Close();
    return left.error();
  }
  if (sent != nullptr) *sent = true;
  auto response = Receive();
  if (!response) Close();
  return response;
}

}  // namespace sotto
