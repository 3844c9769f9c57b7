#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/data/files/file_system.h"
#include "sotto/journal/anchor.h"
#include "sotto/journal/journal.h"
#include "sotto/journal/journal_keys.h"
#include "sotto/journal/journal_scan.h"
#include "sotto/journal/next_segment.h"
#include "sotto/journal/sync_thread.h"
#include "sotto/random/key.h"

namespace sotto {

struct FileJournalOptions {
  std::string folder;
  std::string anchor{};    // folder of the anchor; empty: none
  std::vector<Key> roots;  // of key files; the last one seals what is appended
  std::uint64_t segment_bytes = std::uint64_t{16} << 20;
  // Refuse a journal that does not contain this position.
  std::optional<Position> at_least{};
  FileSystem* files = &RealFiles();
};

// A journal in a folder: docs/formats/journal.md.
//
//   auto journal = FileJournal::Create({.folder = "state.journal",
//                                       .roots = {root}});
//   auto journal = FileJournal::Open(options);    // next time
//
// Guarantee: journal.md.
// Threads:   one call at a time. A thread of its own syncs the anchor.
class FileJournal final : public Journal {
 public:
  // Changes that Open made to the end of the journal.
  struct Recovery {
    std::uint64_t torn_bytes = 0;  // of a block that was never acknowledged
    bool completed = false;        // from the anchor
    bool anchor_was_behind = false;
  };

  // Makes the folder and a journal of a new lineage. Fails with
  // kFailedPrecondition if a journal or an anchor is there already or the
  // folder is locked, kUnavailable if the system refuses.
  static Result<std::unique_ptr<FileJournal>> Create(
      FileJournalOptions options);
  // Checks the journal, compares it with its anchor and makes its end durable.
  // Fails with kFailedPrecondition if another process has it open or no key
  // fits, kCorruption if it is damaged or rolled back, kUnavailable if the
  // system refuses.
  static Result<std::unique_ptr<FileJournal>> Open(FileJournalOptions options);
  ~FileJournal() override;

  const Recovery& recovery() const { return recovery_; }

  const Lineage& lineage() const override { return lineage_; }
  Position position() const override { return position_; }
  std::uint64_t term() const override { return term_; }
  std::uint64_t first() const override { return segments_.front(); }
  AppendResult Append(std::span<const RecordView> records) override;
  Status Read(std::uint64_t after, const Visitor& visit) override;
  // If a new segment cannot be made after the snapshot, the journal accepts no
  // append any more.
  Status WriteSnapshot(std::string_view state) override;
  Result<std::optional<Snapshot>> ReadSnapshot() override;
  Status Prune() override;

 private:
  FileJournal(FileJournalOptions options, int lock)
      : options_(std::move(options)),
        files_(*options_.files),
        lock_(lock),
        next_(files_, options_.folder, options_.segment_bytes) {}

  static Result<std::unique_ptr<FileJournal>> OpenLocked(
      std::unique_ptr<FileJournal> journal);
  Status Recover();
  void Take(const JournalScan& scan);
  Status CheckKeys(const JournalScan& scan) const;
  // The anchor's block, if the journal lacks it.
  Result<std::optional<std::string>> CheckAnchor(const JournalScan& scan);
  Status MakeEndDurable(const JournalScan& scan,
                        const std::optional<std::string>& missing);
  Status ClearEnd(const SegmentEnd& end);
  Status AdoptBlock(const std::string& block);
  Status LevelAnchor();
  Status CheckAtLeast();

  std::optional<std::string> CheckAppend(
      std::span<const RecordView> records) const;
  // In the last segment or a new one. An empty one becomes longer if it must.
  Status MakeRoom(std::uint64_t block_bytes);
  Status StartSegment();
  void PrepareNext();
  Status Commit(const SealedBlock& block);
  AppendResult End(Durability outcome, std::string why, Position intended = {});
  const JournalKeys& sealer() const { return keys_.back(); }

  FileJournalOptions options_;
  FileSystem& files_;
  int lock_ = -1;
  int fd_ = -1;  // of the last segment
  std::uint64_t end_ = 0;
  std::uint64_t capacity_ = 0;
  NextSegment next_;
  Lineage lineage_{};
  std::vector<JournalKeys> keys_;
  std::vector<std::uint64_t> segments_;
  Position position_;
  std::uint64_t chain_term_ = 0;  // of the last block
  std::uint64_t term_ = 0;        // of this writer
  std::string last_block_;
  bool claimed_ = false;
  std::string ended_;  // why no append is accepted
  std::optional<Anchor> anchor_;
  std::optional<SyncThread> sync_;
  Recovery recovery_;
};

}  // namespace sotto
