#include "sotto/models/batch/table_places.h"

#include "sotto/online/user_ledger.h"

namespace sotto {
namespace {

// Reads the next row; a bad row is unusable and noted. False at the end.
Result<bool> NextRow(ExampleReader& reader, Round& round, TableUse& use) {
  auto more = reader.Next(round);
  if (more) return *more;
  if (!reader.can_go_on()) return more.error();
  use.AddBadRow(more.error().message);
  return true;
}

}  // namespace

Result<TableUse> ForEachPlace(ExampleReader& reader,
                              std::uint64_t rows_per_user,
                              const TakePlace& take) {
  SOTTO_TRY_ASSIGN(auto ledger, UserLedger::ForTable(rows_per_user));
  TableUse use;
  Round round;
  for (;;) {
    SOTTO_TRY_ASSIGN(const auto more, NextRow(reader, round, use));
    if (!more) break;
    const bool admitted = ledger.Admit(round.user, 0);
    if (!admitted) ++use.over_limit;
    if (round.user.empty() && round.presence != Presence::kAbsent) {
      ++use.unnamed;
    }
    take(admitted && round.present() && round.y ? &round : nullptr);
  }
  use.skipped = reader.skipped();
  return use;
}

}  // namespace sotto
