#include "sotto/journal/postgres/postgres_journal.h"

#include <algorithm>

#include "sotto/journal/postgres/engine_schema.h"
#include "sotto/journal/postgres/postgres_catalogue.h"
#include "sotto/journal/sealed_record.h"
#include "sotto/journal/snapshot_file.h"

namespace sotto {
namespace {

constexpr std::string_view kNoPrivilege = "42501";

constexpr const char* kReadWriter =
    "SELECT term, tail, head FROM sotto.writer WHERE lineage = $1";
// Each term has its own lock: the one of a writer that was deposed and does not
// end says nothing of its successor.
constexpr const char* kTryLock =
    "SELECT pg_try_advisory_lock(('x' || encode(substring($1::bytea for 8),"
    " 'hex'))::bit(64)::bigint # $2::bigint)::text";
constexpr const char* kDepose =
    "UPDATE sotto.writer SET term = term + 1, holder = $3, address = $4,"
    " renewed = clock_timestamp() WHERE lineage = $1 AND term = $2"
    " RETURNING term";
constexpr const char* kReadBlock =
    "SELECT block FROM sotto.journal WHERE lineage = $1 AND last = $2";
constexpr const char* kReadFirst =
    "SELECT first FROM sotto.journal WHERE lineage = $1 ORDER BY last LIMIT 1";
// Row by row: blocks are large and few.
constexpr const char* kReadBlocks =
    "SELECT block FROM sotto.journal WHERE lineage = $1 AND last > $2"
    " ORDER BY last LIMIT 16";
constexpr const char* kReadTermBefore =
    "SELECT term FROM sotto.journal WHERE lineage = $1 AND last <= $2"
    " ORDER BY last DESC LIMIT 1";
// No row: another writer has a greater term, or the end is another one.
constexpr const char* kAppend =
    "WITH fenced AS (UPDATE sotto.writer SET tail = $4, head = $5,"
    " renewed = clock_timestamp() WHERE lineage = $1 AND term = $2"
    " AND tail = $3::bigint - 1 AND head = $6 RETURNING 1)"
    " INSERT INTO sotto.journal (lineage, first, last, term, block)"
    " SELECT $1, $3, $4, $2, $7 FROM fenced";
constexpr const char* kHoldWriter =
    "SELECT 1 FROM sotto.writer WHERE lineage = $1 AND term = $2"
    " AND tail = $3 FOR SHARE";
constexpr const char* kReadParts =
    "SELECT bytes FROM sotto.snapshot WHERE lineage = $1 AND stands_on ="
    " (SELECT max(stands_on) FROM sotto.snapshot WHERE lineage = $1)"
    " ORDER BY part";
constexpr const char* kDeleteBlocks =
    "DELETE FROM sotto.journal WHERE lineage = $1 AND last <= $2";
constexpr const char* kDeleteSnapshots =
    "DELETE FROM sotto.snapshot WHERE lineage = $1 AND stands_on < $2";

Error Unanswered(const SqlAnswer& answer) { return Unavailable(answer.why); }

std::string_view HeadText(const Position& position) {
  return AsText(position.head);
}

}  // namespace

Result<std::unique_ptr<PostgresJournal>> PostgresJournal::Open(
    PostgresJournalOptions options) {
  if (options.roots.empty()) return InvalidArgument("a journal needs a key");
  SOTTO_TRY_ASSIGN(auto session,
                   PostgresConnection::Open(options.url, options.deadline));
  SOTTO_TRY(CheckEngineSchema(session));
  std::unique_ptr<PostgresJournal> journal(
      new PostgresJournal(std::move(options), std::move(session)));
  for (const Key& root : journal->options_.roots) {
    journal->keys_.push_back(
        JournalKeys::Derive(root, journal->options_.lineage));
  }
  SOTTO_TRY(journal->Depose());
  SOTTO_TRY(journal->ReadEnd());
  SOTTO_TRY(journal->CheckKeys());
  SOTTO_TRY(journal->CheckAnchor());
  return journal;
}

SqlParameter PostgresJournal::lineage_parameter() const {
  return SqlBytes(AsText(options_.lineage));
}

// Deposes first and reads afterwards: what is read then stays the end.
Status PostgresJournal::Depose() {
  const SqlParameter lineage = lineage_parameter();
  SOTTO_TRY_ASSIGN(const auto writer, session_.Query(kReadWriter, {{lineage}}));
  if (writer.empty()) {
    return FailedPrecondition("the journal is not in the database");
  }
  const std::uint64_t before = ReadSqlNumber(writer[0][0]);
  for (const std::uint64_t term : {before, before + 1}) {
    SOTTO_TRY_ASSIGN(const auto lock,
                     session_.Query(kTryLock, {{lineage, SqlNumber(term)}}));
    if (lock[0][0] != "true" && !options_.take_over) {
      return Unavailable("another process writes this journal");
    }
  }
  const SqlAnswer deposed = session_.Execute(
      kDepose, {{lineage, SqlNumber(before), SqlText(options_.holder),
                 SqlText(options_.address)}});
  if (!deposed.done()) return Unanswered(deposed);
  if (deposed.rows.empty()) {
    return Unavailable("another process took this journal over");
  }
  term_ = ReadSqlNumber(deposed.rows[0][0]);
  return Ok();
}

Status PostgresJournal::ReadEnd() {
  const SqlParameter lineage = lineage_parameter();
  SOTTO_TRY_ASSIGN(const auto writer, session_.Query(kReadWriter, {{lineage}}));
  if (writer.empty() || ReadSqlNumber(writer[0][0]) != term_) {
    return Unavailable("another process took this journal over");
  }
  position_ = {ReadSqlNumber(writer[0][1]), AsArray<32>(writer[0][2])};
  const auto last = ReadLastBlock(session_, options_.lineage);
  if (!last && last.error().code == ErrorCode::kFailedPrecondition) {
    return ReadFirst();
  }
  SOTTO_TRY(last);
  last_ = ReadBlock(*last);
  if (!last_ || FollowChain(*last_, *last) != position_) {
    return Corruption(
        "the last block of the journal in the database is not the one that its "
        "writer's row names");
  }
  return ReadFirst();
}

Status PostgresJournal::ReadFirst() {
  SOTTO_TRY_ASSIGN(const auto rows,
                   session_.Query(kReadFirst, {{lineage_parameter()}}));
  first_ = rows.empty() ? position_.tail + 1 : ReadSqlNumber(rows[0][0]);
  if (first_ == 1) return Ok();
  SOTTO_TRY_ASSIGN(const auto snapshot, ReadSnapshot());
  if (snapshot && snapshot->position.tail + 1 >= first_) return Ok();
  return Corruption("the records before " + std::to_string(first_) +
                    " are missing, and no snapshot stands for them");
}

Status PostgresJournal::CheckKeys() {
  if (!last_ || std::ranges::find(keys_, last_->key,
                                  &JournalKeys::sealing_id) != keys_.end()) {
    return Ok();
  }
  return FailedPrecondition(
      "the journal in the database was sealed by another key");
}

// Writers on other hosts keep their own anchors, so this one may be behind
// by any number of blocks. It may not be ahead: it is written after the
// database acknowledged.
Status PostgresJournal::CheckAnchor() {
  if (options_.anchor.empty()) return Ok();
  SOTTO_TRY_ASSIGN(auto anchor, Anchor::Open(options_.anchor, *options_.files));
  anchor_.emplace(std::move(anchor));
  const auto& newest = anchor_->newest();
  if (!newest && anchor_->found() && position_.tail > 0) {
    return Corruption("both anchors in " + options_.anchor + " are damaged");
  }
  if (!newest) return Ok();
  if (newest->lineage != options_.lineage) {
    return Corruption("the anchor is of another journal");
  }
  SOTTO_TRY_ASSIGN(const bool contained, Contains(newest->position));
  if (contained) return Ok();
  return Corruption(
      "the journal in the database was rolled back: this host saw record " +
      std::to_string(newest->position.tail) + ", it ends at " +
      std::to_string(position_.tail));
}

std::optional<std::string> PostgresJournal::CheckAppend(
    std::span<const RecordView> records) const {
  if (!ended_.empty()) return ended_;
  return ExplainBadBlock(records, claimed_);
}

AppendResult PostgresJournal::Append(std::span<const RecordView> records) {
  if (const auto why = CheckAppend(records)) {
    return End(Durability::kFailed, *why);
  }
  const SealedBlock block =
      SealBlock(keys_.back(), options_.lineage, position_, term_, records,
                RandomNonces(records.size()));
  const SqlAnswer answer = session_.Execute(
      kAppend,
      {{lineage_parameter(), SqlNumber(term_), SqlNumber(position_.tail + 1),
        SqlNumber(block.after.tail), SqlBytes(HeadText(block.after)),
        SqlBytes(HeadText(position_)), SqlBytes(block.bytes)}});
  if (answer.outcome == SqlAnswer::Outcome::kUnknown) {
    return End(Durability::kUnknown, answer.why, block.after);
  }
  if (!answer.done()) return End(Durability::kFailed, answer.why);
  if (answer.changed != 1) {
    return End(Durability::kFailed, "another process took this journal over");
  }
  if (anchor_) {
    const Status kept =
        anchor_->Commit({options_.lineage, block.after, block.bytes});
    if (!kept) {
      return End(Durability::kUnknown, kept.error().message, block.after);
    }
  }
  position_ = block.after;
  claimed_ = true;
  return {Durability::kDurable, position_, ""};
}

AppendResult PostgresJournal::End(Durability outcome, std::string why,
                                  Position intended) {
  if (ended_.empty()) ended_ = why;
  return {outcome, intended, std::move(why)};
}

Status PostgresJournal::Read(std::uint64_t after, const Visitor& visit) {
  if (after + 1 < first_) {
    return FailedPrecondition("the records before " + std::to_string(first_) +
                              " were deleted");
  }
  const SqlParameter lineage = lineage_parameter();
  SOTTO_TRY_ASSIGN(
      const auto before,
      session_.Query(kReadTermBefore, {{lineage, SqlNumber(after)}}));
  std::optional<std::uint64_t> term;
  if (!before.empty()) term = ReadSqlNumber(before[0][0]);
  if (after == 0) term = 0;
  const auto visit_new = [&](const JournalEntry& entry) -> Status {
    return entry.index > after ? visit(entry) : Ok();
  };
  std::optional<Position> at;
  if (after == 0) at = Position{0, GenesisHash(options_.lineage)};
  std::uint64_t last = after;
  while (last < position_.tail) {
    SOTTO_TRY_ASSIGN(const auto rows,
                     session_.Query(kReadBlocks, {{lineage, SqlNumber(last)}}));
    if (rows.empty()) return Corruption("blocks at the end are missing");
    for (const auto& row : rows) {
      const auto header = ReadBlock(row[0]);
      if (!header || (at && (header->first != at->tail + 1 ||
                             header->previous != at->head))) {
        return Corruption("the block after record " + std::to_string(last) +
                          " is damaged or does not continue the journal");
      }
      SOTTO_TRY_ASSIGN(
          at, OpenBlock(keys_, options_.lineage, term.value_or(header->term),
                        *header, row[0], visit_new));
      term = header->term;
      last = header->last();
    }
  }
  if (!at || *at == position_) return Ok();
  return Corruption("the journal in the database changed since it was opened");
}

Status PostgresJournal::WriteSnapshot(std::string_view state) {
  if (!ended_.empty()) return FailedPrecondition(ended_);
  if (!claimed_)
    return FailedPrecondition("the writer has not claimed its term");
  const std::string bytes =
      EncodeSnapshot(keys_.back(), options_.lineage, position_, state);
  SOTTO_TRY(session_.Query("BEGIN"));
  if (const Status written = WriteParts(bytes); !written) {
    static_cast<void>(session_.Execute("ROLLBACK"));
    return written.error();
  }
  SOTTO_TRY(session_.Query("COMMIT"));
  return Ok();
}

// Holds the writer's row last: a take-over waits for it.
Status PostgresJournal::WriteParts(const std::string& bytes) {
  SOTTO_TRY(InsertSnapshotBytes(session_, options_.lineage, position_, bytes));
  SOTTO_TRY_ASSIGN(
      const auto held,
      session_.Query(kHoldWriter, {{lineage_parameter(), SqlNumber(term_),
                                    SqlNumber(position_.tail)}}));
  if (!held.empty()) return Ok();
  return Unavailable("another process took this journal over");
}

Result<std::optional<std::string>> ReadSnapshotBytes(
    PostgresConnection& session, const Lineage& lineage) {
  SOTTO_TRY_ASSIGN(const auto parts,
                   session.Query(kReadParts, {{SqlBytes(AsText(lineage))}}));
  if (parts.empty()) return std::optional<std::string>();
  std::string bytes;
  for (const auto& part : parts) bytes += part[0];
  return std::optional(std::move(bytes));
}

Result<std::optional<Snapshot>> PostgresJournal::ReadSnapshot() {
  SOTTO_TRY_ASSIGN(const auto bytes,
                   ReadSnapshotBytes(session_, options_.lineage));
  if (!bytes) return std::optional<Snapshot>();
  SOTTO_TRY_ASSIGN(auto snapshot,
                   OpenSnapshot(keys_, options_.lineage, *bytes));
  return std::optional(std::move(snapshot));
}

Status PostgresJournal::Prune() {
  const auto pruned =
      PruneBelowSnapshot(session_, options_.lineage, options_.roots);
  if (pruned) return ReadFirst();
  if (pruned.error().code == ErrorCode::kFailedPrecondition) return Ok();
  return pruned.error();
}

Result<std::optional<std::uint64_t>> PruneBelowSnapshot(
    PostgresConnection& session, const Lineage& lineage,
    const std::vector<Key>& roots) {
  std::vector<JournalKeys> keys;
  for (const Key& root : roots) {
    keys.push_back(JournalKeys::Derive(root, lineage));
  }
  SOTTO_TRY_ASSIGN(const auto bytes, ReadSnapshotBytes(session, lineage));
  if (!bytes) return std::optional<std::uint64_t>();
  SOTTO_TRY_ASSIGN(const auto snapshot, OpenSnapshot(keys, lineage, *bytes));
  const SqlParameter parameters[] = {SqlBytes(AsText(lineage)),
                                     SqlNumber(snapshot.position.tail)};
  SOTTO_TRY_ASSIGN(const auto stands_on, session.Query(kReadBlock, parameters));
  const auto header =
      stands_on.empty() ? std::nullopt : ReadBlock(stands_on[0][0]);
  // Deleted already, if there is no such block.
  if (!stands_on.empty() &&
      (!header || FollowChain(*header, stands_on[0][0]) != snapshot.position)) {
    return Corruption("the newest snapshot does not stand on the journal");
  }
  for (const char* const statement : {kDeleteBlocks, kDeleteSnapshots}) {
    const SqlAnswer answer = session.Execute(statement, parameters);
    if (answer.state == kNoPrivilege) {
      return FailedPrecondition(
          "this role of the database may not delete. Use one that has "
          "sotto_prune");
    }
    if (!answer.done()) return Unanswered(answer);
  }
  return std::optional(snapshot.position.tail);
}

}  // namespace sotto
