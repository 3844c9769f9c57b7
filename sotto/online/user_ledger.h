#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/online/hash_table.h"
#include "sotto/random/key.h"

namespace sotto {

// Counts the rounds of each user and refuses those over the per-user limit.
//
//   UserLedger ledger(names_key, 3);
//   if (!ledger.Admit("u17", phase)) Refuse();
//
// A refusal depends on the user's own earlier rounds alone. The empty name is a
// user of one round; a name beyond kMaxUserBytes has none. Names are kept as
// 128-bit keyed hashes, 22 bytes a user for limits up to 255 and 28 with a
// phase. Two names with one hash share their rounds: a collision over-counts
// (session.md, step 2). The key must stay the same as long as the counts do.
//
// Threads: not thread-safe.
class UserLedger {
 public:
  // `one_phase`: a user's rounds must all lie in the phase of the first.
  UserLedger(const Key& names, std::uint64_t rounds_per_user,
             bool one_phase = false);
  // A ledger for one reading of a table, with a random key for names. Fails
  // with kUnavailable if the system gives no randomness.
  static Result<UserLedger> ForTable(std::uint64_t rows_per_user);

  // Returns true if the user may take a round now, and counts it.
  bool Admit(std::string_view user, std::uint64_t phase);

  std::size_t users() const { return users_.size(); }
  // Memory of the table.
  std::size_t bytes() const { return users_.bytes(); }

  // Writes hashes and counts, not the key.
  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  Status Load(ByteReader& reader);

 private:
  std::size_t phase_bytes() const { return one_phase_ ? kPhaseBytes : 0; }

  static constexpr std::size_t kPhaseBytes = 4;

  Key names_;
  std::uint64_t rounds_per_user_;
  bool one_phase_;
  std::size_t count_bytes_;  // as many as the limit needs
  HashTable users_;          // count, then phase
};

}  // namespace sotto
