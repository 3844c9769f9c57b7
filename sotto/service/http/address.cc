#include "sotto/service/http/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>
#include <charconv>
#include <system_error>

namespace sotto::http {
namespace {

constexpr std::string_view kUnix = "unix:";

bool IsNumeric(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

Error Refuse(std::string_view text) {
  return InvalidArgument("cannot listen on '" + std::string(text) +
                         "'. Use ADDRESS:PORT with a numeric address, as "
                         "127.0.0.1:8080, or unix:/path/to/socket.");
}

}  // namespace

bool Address::is_local() const {
  return is_unix() || host == "::1" || host.starts_with("127.");
}

std::string Address::ToString() const {
  if (is_unix()) return std::string(kUnix) + path;
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<Address> Address::Parse(std::string_view text) {
  Address address;
  if (text.starts_with(kUnix)) {
    address.path = text.substr(kUnix.size());
    // The system's structure holds 107 bytes and a zero.
    if (address.path.empty() || address.path.size() > 107) return Refuse(text);
    return address;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return Refuse(text);
  address.host = text.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  if (address.host == "localhost") address.host = "127.0.0.1";
  const std::string_view port = text.substr(colon + 1);
  const auto [end, error] =
      std::from_chars(port.data(), port.data() + port.size(), address.port);
  const bool read = error == std::errc() && end == port.data() + port.size();
  if (!read || !IsNumeric(address.host)) return Refuse(text);
  return address;
}

}  // namespace sotto::http
