#include "sotto/online/ticket.h"

#include <cstddef>
#include <string_view>

namespace sotto {

std::string MakeTicket(const Key& key, std::uint64_t round,
                       const Key& history) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  static constexpr std::size_t kTicketBytes = 16;
  const Key secret =
      key.Derive("ticket-v1", "round",
                 {round, std::span<const std::byte>(history.bytes())});
  std::string ticket;
  ticket.reserve(2 * kTicketBytes);
  for (const std::byte byte : secret.bytes().first<kTicketBytes>()) {
    ticket += kHex[std::to_integer<std::size_t>(byte) >> 4];
    ticket += kHex[std::to_integer<std::size_t>(byte) & 15];
  }
  return ticket;
}

}  // namespace sotto
