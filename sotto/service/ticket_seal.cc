#include "sotto/service/ticket_seal.h"

namespace sotto {
namespace {

std::uint64_t ReadHalf(const Hash16& bytes, std::size_t half) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 8; ++i) word = word << 8 | bytes[half * 8 + i];
  return word;
}

Hash16 JoinHalves(std::uint64_t first, std::uint64_t second) {
  Hash16 bytes{};
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[7 - i] = static_cast<std::uint8_t>(first >> (8 * i) & 0xff);
    bytes[15 - i] = static_cast<std::uint8_t>(second >> (8 * i) & 0xff);
  }
  return bytes;
}

}  // namespace

std::array<std::uint64_t, 2> TicketSeal::Mask(const Hash16& ticket) const {
  return key_.Hash(
      {reinterpret_cast<const char*>(ticket.data()), ticket.size()});
}

std::string TicketSeal::Write(std::string_view ticket,
                              std::uint64_t number) const {
  const Hash16 bytes = *ReadHex16(ticket);
  const auto mask = Mask(bytes);
  return std::string(ticket) +
         WriteHex16(JoinHalves(number ^ mask[0], mask[1]));
}

std::optional<TicketSeal::Shown> TicketSeal::Read(std::string_view text) const {
  if (text.size() != kDigits) return std::nullopt;
  const auto ticket = ReadHex16(text.substr(0, kDigits / 2));
  const auto sealed = ReadHex16(text.substr(kDigits / 2));
  if (!ticket || !sealed) return std::nullopt;
  const auto mask = Mask(*ticket);
  Shown shown{*ticket, {}};
  if (ReadHalf(*sealed, 1) == mask[1])
    shown.number = ReadHalf(*sealed, 0) ^ mask[0];
  return shown;
}

}  // namespace sotto
