#include "sotto/session/ticket.h"

#include <cstddef>

namespace sotto {

std::string TicketBook::For(std::uint64_t round) const {
  static constexpr std::string_view kHex = "0123456789abcdef";
  const Key secret = key_.Derive("ticket-v1", "round", {round});
  std::string ticket;
  for (const std::byte byte : secret.bytes().first<kDigits / 2>()) {
    ticket += kHex[std::to_integer<std::size_t>(byte) >> 4];
    ticket += kHex[std::to_integer<std::size_t>(byte) & 15];
  }
  return ticket;
}

}  // namespace sotto
