#include "sotto/online/user_ledger.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace sotto {

bool UserLedger::Admit(std::string_view user, std::uint64_t phase) {
  if (user.empty()) return true;
  auto [place, added] =
      users_.try_emplace(std::string(user), Entry{.phase = phase});
  Entry& entry = place->second;
  if (entry.rounds >= rounds_per_user_) return false;
  if (one_phase_ && entry.phase != phase) return false;
  ++entry.rounds;
  return true;
}

// In the order of the names: a saved state does not depend on a hash.
void UserLedger::Save(ByteWriter& writer) const {
  std::vector<std::pair<std::string_view, Entry>> sorted(users_.begin(),
                                                         users_.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  writer.Number(static_cast<std::uint64_t>(sorted.size()));
  for (const auto& [user, entry] : sorted) {
    writer.Text(user);
    writer.Number(entry.rounds);
    writer.Number(entry.phase);
  }
}

Status UserLedger::Load(ByteReader& reader) {
  constexpr std::uint64_t kLeastBytes = 24;
  const auto size = reader.Number<std::uint64_t>();
  if (reader.failed() || size > reader.RoomFor(kLeastBytes)) {
    return Corruption("the saved users make no sense");
  }
  users_.clear();
  for (std::uint64_t i = 0; i < size; ++i) {
    std::string user(reader.Text());
    const auto rounds = reader.Number<std::uint64_t>();
    const auto phase = reader.Number<std::uint64_t>();
    if (reader.failed() || user.empty() || rounds > rounds_per_user_ ||
        !users_.try_emplace(std::move(user), Entry{rounds, phase}).second) {
      return Corruption("the saved users make no sense");
    }
  }
  return Ok();
}

}  // namespace sotto
