#include "sotto/online/user_ledger.h"

#include <array>
#include <optional>
#include <span>

#include "sotto/base/round.h"

namespace sotto {
namespace {

using Hash = HashTable::Hash;

std::size_t BytesFor(std::uint64_t number) {
  std::size_t bytes = 1;
  while (bytes < sizeof(number) && number >> (8 * bytes) != 0) ++bytes;
  return bytes;
}

std::uint64_t Get(std::span<const std::uint8_t> bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | bytes[i];
  return number;
}

void Set(std::uint64_t number, std::span<std::uint8_t> bytes) {
  for (std::uint8_t& byte : bytes) {
    byte = static_cast<std::uint8_t>(number & 0xff);
    number >>= 8;
  }
}

Error Corrupt() { return Corruption("the saved users make no sense"); }

}  // namespace

UserLedger::UserLedger(const Key& names, std::uint64_t rounds_per_user,
                       bool one_phase)
    : names_(names),
      rounds_per_user_(rounds_per_user),
      one_phase_(one_phase),
      count_bytes_(BytesFor(rounds_per_user)),
      users_(count_bytes_ + phase_bytes()) {}

Result<UserLedger> UserLedger::ForTable(std::uint64_t rows_per_user) {
  SOTTO_TRY_ASSIGN(const auto names, Key::Generate());
  return UserLedger(names, rows_per_user);
}

bool UserLedger::Admit(std::string_view user, std::uint64_t phase) {
  if (user.empty()) return true;
  // Rounds under a name that is too long are all empty and need no count.
  if (user.size() > kMaxUserBytes) return false;
  // A phase that the table cannot tell from another admits no one.
  if (one_phase_ && phase >> (8 * kPhaseBytes) != 0) return false;
  std::uint8_t* const entry = users_.Insert(names_.Hash(user));
  const std::span count(entry, count_bytes_);
  const std::span first_phase(entry + count_bytes_, phase_bytes());
  const std::uint64_t rounds = Get(count);
  if (rounds >= rounds_per_user_) return false;
  if (rounds == 0) Set(phase, first_phase);
  if (one_phase_ && Get(first_phase) != phase) return false;
  Set(rounds + 1, count);
  return true;
}

void UserLedger::Save(ByteWriter& writer) const {
  writer.Number(static_cast<std::uint64_t>(users_.size()));
  users_.ForEach([&](const Hash& hash, const std::uint8_t* entry) {
    writer.Number(hash[0]);
    writer.Number(hash[1]);
    writer.Raw(
        {reinterpret_cast<const char*>(entry), count_bytes_ + phase_bytes()});
  });
}

Status UserLedger::Load(ByteReader& reader) {
  const std::size_t width = count_bytes_ + phase_bytes();
  const auto size = reader.Number<std::uint64_t>();
  if (reader.failed() || size > reader.RoomFor(sizeof(Hash) + width)) {
    return Corrupt();
  }
  users_ = HashTable(width);
  users_.Reserve(static_cast<std::size_t>(size));
  Hash last = {};
  for (std::uint64_t i = 0; i < size; ++i) {
    const auto high = reader.Number<std::uint64_t>();
    const Hash hash = {high, reader.Number<std::uint64_t>()};
    const std::string_view bytes = reader.Raw(width);
    if (reader.failed() || hash <= last) return Corrupt();
    last = hash;
    std::uint8_t* const entry = users_.Insert(hash);
    bytes.copy(reinterpret_cast<char*>(entry), width);
    const std::uint64_t rounds = Get({entry, count_bytes_});
    if (rounds == 0 || rounds > rounds_per_user_) return Corrupt();
  }
  return Ok();
}

}  // namespace sotto
