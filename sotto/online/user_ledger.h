#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"

namespace sotto {

// Counts the rounds each user has taken, and refuses one too many.
//
//   UserLedger ledger(3);
//   if (!ledger.Admit("u17", phase)) Refuse();
//
// A refusal depends on the user's own earlier rounds alone, so it tells nobody
// anything of anybody else. The empty name is a user who comes once.
//
// Threads: not thread-safe.
class UserLedger {
 public:
  // `one_phase`: a user's rounds must all lie in the phase of the first.
  explicit UserLedger(std::uint64_t rounds_per_user, bool one_phase = false)
      : rounds_per_user_(rounds_per_user), one_phase_(one_phase) {}

  // Whether the user may take a round now; if so, it is counted.
  bool Admit(std::string_view user, std::uint64_t phase);

  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  Status Load(ByteReader& reader);

 private:
  struct Entry {
    std::uint64_t rounds = 0;
    std::uint64_t phase = 0;
  };

  std::uint64_t rounds_per_user_;
  bool one_phase_;
  std::unordered_map<std::string, Entry> users_;
};

}  // namespace sotto
