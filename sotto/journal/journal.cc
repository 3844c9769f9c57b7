#include "sotto/journal/journal.h"

#include "sotto/base/bytes.h"

namespace sotto {

AppendResult Journal::Claim(std::string_view holder) {
  ByteWriter payload;
  payload.Number(term());
  const std::string bytes = payload.bytes() + std::string(holder);
  const RecordView claim{RecordType::kClaim, bytes};
  return Append({&claim, 1});
}

Result<bool> Journal::Contains(const Position& place) {
  const Position end = position();
  if (place.tail > end.tail) return false;
  if (place.tail == end.tail) return place == end;
  if (place.tail < first()) return true;
  std::optional<ChainHash> found;
  const auto look = [&](const JournalEntry& entry) -> Status {
    if (entry.index == place.tail) found = entry.head;
    return Ok();
  };
  SOTTO_TRY(Read(place.tail - 1, look));
  return found == place.head;
}

Result<std::uint64_t> ReadClaimTerm(std::string_view payload) {
  ByteReader reader(payload.substr(0, sizeof(std::uint64_t)));
  const auto term = reader.Number<std::uint64_t>();
  SOTTO_TRY(reader.Finish());
  return term;
}

}  // namespace sotto
