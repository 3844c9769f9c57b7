#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/durable/record.h"
#include "sotto/random/key.h"

namespace sotto {

// The tickets that users of a service hold: a session's ticket (128
// pseudo-random bits, the only thing that is looked up) and, sealed, the number
// of its round. A ticket with a good seal was given out. If its number is yet
// to come, or it should still be known and is not, the records that gave it out
// are gone: the model was rolled back.
//
//   TicketSeal seal(keys.tickets);
//   std::string shown = seal.Write(ticket, number);   // 64 hexadecimal digits
//   auto read = seal.Read(shown);                     // read->number
//
// To anyone without the key the digits are random: the number is masked by 64
// bits of a keyed hash of the session's ticket, and the check is 64 bits of one
// of ticket and number, so that no user can change the number of a ticket.
// Threads: a value type.
class TicketSeal {
 public:
  static constexpr std::size_t kDigits = 64;

  explicit TicketSeal(const Key& key) : key_(key) {}

  std::string Write(std::string_view ticket, std::uint64_t number) const;

  struct Shown {
    Hash16 ticket{};
    std::optional<std::uint64_t> number{};  // absent: not sealed by this key
  };
  // Absent: not 64 hexadecimal digits.
  std::optional<Shown> Read(std::string_view text) const;

  const Key& key() const { return key_; }

 private:
  std::uint64_t Mask(const Hash16& ticket) const;
  std::uint64_t Tag(const Hash16& ticket, std::uint64_t number) const;

  Key key_;
};

}  // namespace sotto
