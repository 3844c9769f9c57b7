#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sotto/random/key.h"

namespace sotto {

// What names a round that is open: 32 hexadecimal digits that nobody without
// the key can guess or connect with a round, a user or each other.
//
//   TicketBook tickets(root.Derive("ticket-v1", "session", {}));
//   std::string ticket = tickets.For(round_number);
//
// Threads: const calls may run at the same time.
class TicketBook {
 public:
  explicit TicketBook(const Key& key) : key_(key) {}

  // The ticket of a round, always the same.
  std::string For(std::uint64_t round) const;
  const Key& key() const { return key_; }

  static constexpr std::size_t kDigits = 32;

 private:
  Key key_;
};

}  // namespace sotto
