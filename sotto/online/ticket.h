#pragma once

#include <cstdint>
#include <string>

#include "sotto/random/key.h"

namespace sotto {

// The name of an open round: 32 hexadecimal digits that no one without the key
// can guess or connect with a round, a user or each other. `history` is the
// place of the session's noise at the round, so that the same number under
// another history, after a roll-back, has another ticket.
//
//   std::string ticket = MakeTicket(key, number, history.place().key);
std::string MakeTicket(const Key& key, std::uint64_t round, const Key& history);

}  // namespace sotto
