#include "sotto/service/http/listen_socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace sotto::http {
namespace {

constexpr int kType = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

// An address as the system takes it.
struct SystemAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

SystemAddress ToSystem(const Address& address) {
  SystemAddress system;
  if (address.is_unix()) {
    auto* unix = reinterpret_cast<sockaddr_un*>(&system.storage);
    unix->sun_family = AF_UNIX;
    std::memcpy(unix->sun_path, address.path.data(), address.path.size());
    system.size = sizeof(sockaddr_un);
    return system;
  }
  auto* v4 = reinterpret_cast<sockaddr_in*>(&system.storage);
  if (inet_pton(AF_INET, address.host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(address.port);
    system.size = sizeof(sockaddr_in);
    return system;
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&system.storage);
  inet_pton(AF_INET6, address.host.c_str(), &v6->sin6_addr);
  v6->sin6_family = AF_INET6;
  v6->sin6_port = htons(address.port);
  system.size = sizeof(sockaddr_in6);
  return system;
}

Error Refuse(const Address& address, int socket) {
  const int reason = errno;
  if (socket >= 0) close(socket);
  return Unavailable("cannot listen on " + address.ToString() + ": " +
                     std::strerror(reason));
}

// Removes the file of a socket that no process serves.
void RemoveStale(SystemAddress& system, const std::string& path) {
  struct stat facts {};
  if (lstat(path.c_str(), &facts) != 0 || !S_ISSOCK(facts.st_mode)) return;
  const int probe = socket(AF_UNIX, kType, 0);
  if (probe < 0) return;
  if (connect(probe, system.get(), system.size) != 0 && errno == ECONNREFUSED) {
    unlink(path.c_str());
  }
  close(probe);
}

bool Bind(int socket, SystemAddress& system, bool unix) {
  if (!unix) return bind(socket, system.get(), system.size) == 0;
  const mode_t before = umask(0177);
  const bool bound = bind(socket, system.get(), system.size) == 0;
  umask(before);
  return bound;
}

void ReadPort(int socket, Address& address) {
  SystemAddress given;
  given.size = sizeof(given.storage);
  if (getsockname(socket, given.get(), &given.size) != 0) return;
  const auto* v4 = reinterpret_cast<const sockaddr_in*>(&given.storage);
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&given.storage);
  address.port =
      ntohs(v4->sin_family == AF_INET ? v4->sin_port : v6->sin6_port);
}

}  // namespace

Result<int> ListenOn(Address& address) {
  SystemAddress system = ToSystem(address);
  if (address.is_unix()) RemoveStale(system, address.path);
  const int made = socket(system.storage.ss_family, kType, 0);
  if (made < 0) return Refuse(address, made);
  const int on = 1;
  setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (!Bind(made, system, address.is_unix()) || listen(made, SOMAXCONN) != 0) {
    return Refuse(address, made);
  }
  if (!address.is_unix()) ReadPort(made, address);
  return made;
}

void ReserveDescriptors(int listening, std::size_t count) {
  rlimit most{};
  if (getrlimit(RLIMIT_NOFILE, &most) != 0 || most.rlim_cur == 0) return;
  const auto last = std::min<rlim_t>(count, most.rlim_cur - 1);
  const int high = fcntl(listening, F_DUPFD_CLOEXEC, static_cast<int>(last));
  if (high >= 0) close(high);
}

int AcceptFrom(int listening) {
  const int made =
      accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  const int on = 1;  // no effect on a Unix socket
  if (made >= 0) setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return made;
}

}  // namespace sotto::http
