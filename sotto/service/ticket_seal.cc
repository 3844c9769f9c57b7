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

std::string_view Text(const Hash16& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::uint64_t TicketSeal::Mask(const Hash16& ticket) const {
  return key_.Hash(Text(ticket))[0];
}

// Covers the number, too: a user who could change it would pretend that records
// are lost.
std::uint64_t TicketSeal::Tag(const Hash16& ticket,
                              std::uint64_t number) const {
  return key_.Hash(
      std::string(Text(ticket)).append(Text(JoinHalves(number, 0))))[1];
}

std::string TicketSeal::Write(std::string_view ticket,
                              std::uint64_t number) const {
  const Hash16 bytes = *ReadHex16(ticket);
  return std::string(ticket) +
         WriteHex16(JoinHalves(number ^ Mask(bytes), Tag(bytes, number)));
}

std::optional<TicketSeal::Shown> TicketSeal::Read(std::string_view text) const {
  if (text.size() != kDigits) return std::nullopt;
  const auto ticket = ReadHex16(text.substr(0, kDigits / 2));
  const auto sealed = ReadHex16(text.substr(kDigits / 2));
  if (!ticket || !sealed) return std::nullopt;
  const std::uint64_t number = ReadHalf(*sealed, 0) ^ Mask(*ticket);
  Shown shown{*ticket, {}};
  if (ReadHalf(*sealed, 1) == Tag(*ticket, number)) shown.number = number;
  return shown;
}

}  // namespace sotto
