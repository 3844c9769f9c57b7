#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sotto/base/result.h"

namespace sotto {

// 16 random bytes that name one model from its creation on.
using Lineage = std::array<std::uint8_t, 16>;
using ChainHash = std::array<std::uint8_t, 32>;

enum class RecordType : std::uint8_t {
  kModel = 1,
  kTrain,
  kRound,
  kLabel,
  kAdd,
  kClaim,
  kKey,
  kRollback,
  kSnapshot,
};

// A record to append. The payload must outlive the call.
struct RecordView {
  RecordType type = RecordType::kRound;
  std::string_view payload;
};

// A record as it is read. The payload is valid during the visit.
struct JournalEntry {
  RecordView record;
  std::uint64_t index = 0;
  ChainHash head{};  // after this record
};

// The end of a journal, or a place in it: the index of a record (0: before the
// first) and the hash of all records up to it.
struct Position {
  std::uint64_t tail = 0;
  ChainHash head{};

  friend bool operator==(const Position&, const Position&) = default;
};

// A saved state and the record it stands on.
struct Snapshot {
  Position position;
  std::string state;
};

enum class Durability {
  kDurable,  // in the journal, through any crash
  kFailed,   // not in the journal, now or later
  kUnknown,  // maybe: open the journal again and ask Contains(intended)
};

struct AppendResult {
  Durability outcome = Durability::kFailed;
  Position intended{};  // the position if the block is in the journal
  std::string why{};    // empty if durable

  bool durable() const { return outcome == Durability::kDurable; }
};

// An append-only log of sealed records with one writer, in files or a database.
//
//   journal->Read(snapshot ? snapshot->position.tail : 0, replay);
//   AppendResult claimed = journal->Claim("host-7");     // then show replies
//   AppendResult result = journal->Append(records);
//   if (!result.durable()) end;                          // show nothing
//
// A writer reads first, then claims its term, and shows nothing that it read or
// computed before the claim is durable. After an append that is not durable the
// journal accepts no other: drop what was computed, open the journal again.
//
// Guarantee: what each promise of the service rests on is in journal.md.
// Threads:   one call at a time.
class Journal {
 public:
  using Visitor = std::function<Status(const JournalEntry&)>;

  static constexpr std::size_t kMostPayloadBytes = std::size_t{32} << 20;
  static constexpr std::size_t kMostBlockBytes = std::size_t{64} << 20;

  Journal() = default;
  virtual ~Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  virtual const Lineage& lineage() const = 0;
  virtual Position position() const = 0;
  // Greater than the term of every writer before.
  virtual std::uint64_t term() const = 0;

  // Appends the term and the writer's own bytes as a CLAIM. The first append of
  // a writer; Append fails before it.
  AppendResult Claim(std::string_view holder);
  // Appends the records as one block: all of them or none. Returns when they
  // are durable, or will not be. Requires at least one record.
  virtual AppendResult Append(std::span<const RecordView> records) = 0;

  // Visits the records with an index above `after`, in order, each verified.
  // Fails with kCorruption if one is damaged, kFailedPrecondition if records
  // behind `after` were deleted, and as the visitor does.
  virtual Status Read(std::uint64_t after, const Visitor& visit) = 0;
  // Tells if the position is one of this journal. One before the first record
  // that is left counts as such.
  Result<bool> Contains(const Position& position);

  // Keeps the state at the current position. A failure leaves the journal as it
  // was.
  virtual Status WriteSnapshot(std::string_view state) = 0;
  // Fails with kCorruption if the newest snapshot is damaged.
  virtual Result<std::optional<Snapshot>> ReadSnapshot() = 0;
  // Deletes records and snapshots that the newest snapshot, which is read back
  // first, makes unnecessary. Some of them may stay until later.
  virtual Status Prune() = 0;
  // Index of the first record that is left, or that is to come.
  virtual std::uint64_t first() const = 0;
};

// The term in the payload of a CLAIM. Fails with kCorruption.
Result<std::uint64_t> ReadClaimTerm(std::string_view payload);

}  // namespace sotto
