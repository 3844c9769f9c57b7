#pragma once

#include <string>
#include <string_view>

#include "sotto/random/key.h"

namespace sotto {

// The 16 bytes that stand for a user's name in records and sessions. `names` is
// JournalKeys::names.
//
// Threads: pure functions.
Key MakeNameKey(const Key& names);
Key MakeRepeatKey(const Key& names);
std::string HashName(const Key& name_key, std::string_view user);

}  // namespace sotto
