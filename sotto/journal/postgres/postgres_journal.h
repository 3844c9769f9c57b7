#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/data/files/file_system.h"
#include "sotto/journal/anchor.h"
#include "sotto/journal/block.h"
#include "sotto/journal/journal.h"
#include "sotto/journal/journal_keys.h"
#include "sotto/journal/postgres/postgres_connection.h"
#include "sotto/random/key.h"

namespace sotto {

struct PostgresJournalOptions {
  std::string url;  // postgresql://..., or another connection string of libpq
  Lineage lineage{};
  std::string anchor{};    // folder of the anchor; empty: none
  std::vector<Key> roots;  // of key files; the last one seals what is appended
  std::string holder{};    // this process, for operators
  std::string address{};   // where it answers
  // Of every statement, on this side.
  std::chrono::milliseconds deadline{10'000};
  // Takes over from a writer that is alive. Otherwise Open fails while one is.
  bool take_over = false;
  FileSystem* files = &RealFiles();
};

// A journal in PostgreSQL, with the blocks of FileJournal as rows:
//
//   auto lineage = catalogue.Add("life", model_json);
//   auto journal = PostgresJournal::Open(
//       {.url = url, .lineage = *lineage, .roots = {root}});
//
// Open deposes the writer before: it raises the term in the writer's row, and
// every append is fenced by that term, the tail and the head. The appends of a
// deposed writer fail. A writer holds an advisory lock of its term, which tells
// others that it is alive and decides when they take over, never whether an
// append counts.
//
// Guarantee: postgres_journal.md.
// Threads:   one call at a time.
class PostgresJournal final : public Journal {
 public:
  // Becomes the writer. Fails with kUnavailable if the database does not answer
  // or another writer is alive, kFailedPrecondition if the journal is not in it
  // or was sealed by another key, kCorruption if it is damaged or behind its
  // anchor.
  static Result<std::unique_ptr<PostgresJournal>> Open(
      PostgresJournalOptions options);

  const Lineage& lineage() const override { return options_.lineage; }
  Position position() const override { return position_; }
  std::uint64_t term() const override { return term_; }
  std::uint64_t first() const override { return first_; }
  AppendResult Append(std::span<const RecordView> records) override;
  Status Read(std::uint64_t after, const Visitor& visit) override;
  Status WriteSnapshot(std::string_view state) override;
  Result<std::optional<Snapshot>> ReadSnapshot() override;
  // Leaves everything if the role of the session may not delete:
  // `sotto engine prune` does it under another one.
  Status Prune() override;

 private:
  PostgresJournal(PostgresJournalOptions options, PostgresConnection session)
      : options_(std::move(options)), session_(std::move(session)) {}

  Status Depose();
  Status ReadEnd();
  Status ReadFirst();
  Status CheckKeys();
  Status CheckAnchor();
  std::optional<std::string> CheckAppend(
      std::span<const RecordView> records) const;
  Status WriteParts(const std::string& bytes);
  AppendResult End(Durability outcome, std::string why, Position intended = {});
  SqlParameter lineage_parameter() const;

  PostgresJournalOptions options_;
  PostgresConnection session_;
  std::vector<JournalKeys> keys_;
  Position position_;
  std::uint64_t term_ = 0;
  std::uint64_t first_ = 1;
  std::optional<BlockHeader> last_{};
  bool claimed_ = false;
  std::string ended_{};  // why no append is accepted
  std::optional<Anchor> anchor_{};
};

// Sealed bytes of the newest snapshot.
Result<std::optional<std::string>> ReadSnapshotBytes(
    PostgresConnection& session, const Lineage& lineage);

// Opens the newest snapshot, checks that a block of the journal ends where it
// stands, and deletes what it makes unnecessary. Returns the record it stands
// on; absent if there is none. Fails with kFailedPrecondition if the role of
// the session may not delete, kCorruption if the snapshot is damaged.
Result<std::optional<std::uint64_t>> PruneBelowSnapshot(
    PostgresConnection& session, const Lineage& lineage,
    const std::vector<Key>& roots);

}  // namespace sotto
