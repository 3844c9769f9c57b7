#include "sotto/journal/file_journal.h"

#include <sodium.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "sotto/journal/block.h"
#include "sotto/journal/sealed_record.h"
#include "sotto/journal/segment.h"
#include "sotto/journal/snapshot_file.h"

namespace sotto {
namespace {

constexpr std::uint64_t kWholeFile = std::numeric_limits<std::uint64_t>::max();

Error Refused(std::string message) {
  return {ErrorCode::kFailedPrecondition, std::move(message)};
}

std::string LockPath(const std::string& folder) { return folder + "/lock"; }

Status CheckNothingThere(const FileJournalOptions& options) {
  SOTTO_TRY_ASSIGN(const auto names,
                   ListJournalFiles(options.folder, *options.files));
  if (!names.segments.empty() || !names.snapshots.empty()) {
    return Refused("a journal is in " + options.folder + " already");
  }
  if (options.anchor.empty()) return Ok();
  SOTTO_TRY_ASSIGN(const bool anchored,
                   Anchor::Exists(options.anchor, *options.files));
  if (anchored) {
    return Refused("the anchor of another journal is in " + options.anchor);
  }
  return Ok();
}

Status WriteFirstSegment(const FileJournalOptions& options) {
  SegmentHeader header;
  randombytes_buf(header.lineage.data(), header.lineage.size());
  header.before.head = GenesisHash(header.lineage);
  NextSegment first(*options.files, options.folder, options.segment_bytes);
  SOTTO_TRY_ASSIGN(const int fd, first.Publish(header));
  options.files->Close(fd);
  return Ok();
}

}  // namespace

Result<std::unique_ptr<FileJournal>> FileJournal::Create(
    FileJournalOptions options) {
  FileSystem& files = *options.files;
  SOTTO_TRY(files.CreateFolder(options.folder));
  SOTTO_TRY(files.SyncParentFolder(options.folder));
  SOTTO_TRY_ASSIGN(const int lock, files.Lock(LockPath(options.folder)));
  std::unique_ptr<FileJournal> journal(
      new FileJournal(std::move(options), lock));
  SOTTO_TRY(CheckNothingThere(journal->options_));
  SOTTO_TRY(WriteFirstSegment(journal->options_));
  return OpenLocked(std::move(journal));
}

Result<std::unique_ptr<FileJournal>> FileJournal::Open(
    FileJournalOptions options) {
  SOTTO_TRY_ASSIGN(const auto there, options.files->Look(options.folder));
  if (!there) return Refused("no journal in " + options.folder);
  SOTTO_TRY_ASSIGN(const int lock,
                   options.files->Lock(LockPath(options.folder)));
  return OpenLocked(
      std::unique_ptr<FileJournal>(new FileJournal(std::move(options), lock)));
}

Result<std::unique_ptr<FileJournal>> FileJournal::OpenLocked(
    std::unique_ptr<FileJournal> journal) {
  SOTTO_TRY(journal->Recover());
  return journal;
}

FileJournal::~FileJournal() {
  files_.Close(fd_);
  files_.Close(lock_);
}

Status FileJournal::Recover() {
  SOTTO_TRY_ASSIGN(const auto scan, ScanJournal(options_.folder, files_));
  Take(scan);
  SOTTO_TRY(CheckKeys(scan));
  SOTTO_TRY_ASSIGN(const auto missing, CheckAnchor(scan));
  if (scan.end.kind == SegmentEnd::Kind::kDamaged && !missing) {
    return Corruption(SegmentPath(options_.folder, segments_.back()) +
                      ": damaged at offset " + std::to_string(scan.end.offset));
  }
  SOTTO_TRY(MakeEndDurable(scan, missing));
  SOTTO_TRY(LevelAnchor());
  term_ = chain_term_ + 1;
  return CheckAtLeast();
}

void FileJournal::Take(const JournalScan& scan) {
  lineage_ = scan.lineage;
  segments_ = scan.names.segments;
  position_ = scan.position;
  chain_term_ = scan.term;
  end_ = scan.end.offset;
  capacity_ = scan.capacity;
  last_block_ = scan.last_bytes;
  for (const Key& root : options_.roots) {
    keys_.push_back(JournalKeys::Derive(root, lineage_));
  }
}

Status FileJournal::CheckKeys(const JournalScan& scan) const {
  if (keys_.empty()) return InvalidArgument("a journal needs a key");
  for (const KeyId& id : scan.keys) {
    if (std::ranges::find(keys_, id, &JournalKeys::sealing_id) == keys_.end()) {
      return Refused("the journal in " + options_.folder +
                     " was sealed by another key");
    }
  }
  return Ok();
}

Result<std::optional<std::string>> FileJournal::CheckAnchor(
    const JournalScan& scan) {
  std::optional<std::string> missing;
  if (options_.anchor.empty()) return missing;
  SOTTO_TRY_ASSIGN(const bool exists, Anchor::Exists(options_.anchor, files_));
  if (!exists && position_.tail > 0) {
    return Corruption("the anchor of the journal is missing in " +
                      options_.anchor);
  }
  SOTTO_TRY_ASSIGN(auto anchor, Anchor::Open(options_.anchor, files_));
  anchor_.emplace(std::move(anchor));
  sync_.emplace();
  const auto& newest = anchor_->newest();
  // Files without a slot are what a crash leaves of a journal's creation.
  if (!newest && position_.tail == 0) return missing;
  if (!newest)
    return Corruption("both anchors in " + options_.anchor + " are damaged");
  const auto verdict =
      CompareWithAnchor(*newest, lineage_, position_, scan.last);
  const std::string refusal = ExplainRefusal(verdict, *newest, position_);
  if (!refusal.empty()) return Corruption(refusal);
  recovery_.anchor_was_behind = verdict == AnchorVerdict::kOneAhead;
  if (verdict == AnchorVerdict::kLacksBlock) missing = newest->block;
  // A slot that an unclean end kept from the disk is written again.
  if (verdict == AnchorVerdict::kLevel) last_block_ = newest->block;
  return missing;
}

Status FileJournal::MakeEndDurable(const JournalScan& scan,
                                   const std::optional<std::string>& missing) {
  SOTTO_TRY_ASSIGN(
      fd_, files_.OpenToUpdate(SegmentPath(options_.folder, segments_.back())));
  if (scan.end.used > 0) {
    SOTTO_TRY(ClearEnd(scan.end));
    if (!missing) recovery_.torn_bytes = scan.end.used;
  }
  if (scan.last_offset > 0) {
    SOTTO_TRY(WriteWholeAt(files_, fd_, scan.last_bytes, scan.last_offset));
  }
  SOTTO_TRY(files_.SyncData(fd_));
  SOTTO_TRY(files_.SyncParentFolder(LockPath(options_.folder)));
  return missing ? AdoptBlock(*missing) : Ok();
}

// Body first, then the header's mark, then the rest: a crash in between leaves
// what reads as a torn block.
Status FileJournal::ClearEnd(const SegmentEnd& end) {
  const std::string zeros(std::max<std::uint64_t>(end.used, kBlockHeaderBytes),
                          '\0');
  const std::string_view all(zeros);
  const std::size_t mark = kBlockHeaderBytes - kBlockMark.size();
  SOTTO_TRY(WriteWholeAt(files_, fd_, all.substr(kBlockHeaderBytes),
                         end.offset + kBlockHeaderBytes));
  SOTTO_TRY(WriteWholeAt(files_, fd_, all.substr(0, kBlockMark.size()),
                         end.offset + mark));
  return WriteWholeAt(files_, fd_, all.substr(0, mark), end.offset);
}

Status FileJournal::AdoptBlock(const std::string& block) {
  const auto header = ReadBlock(block);
  if (header->term < chain_term_) {
    return Corruption("the anchor's block is of an earlier term");
  }
  SOTTO_TRY_ASSIGN(const auto after,
                   OpenBlock(keys_, lineage_, chain_term_, *header, block,
                             [](const JournalEntry&) { return Ok(); }));
  SOTTO_TRY(MakeRoom(block.size()));
  SOTTO_TRY(WriteWholeAt(files_, fd_, block, end_));
  SOTTO_TRY(files_.SyncData(fd_));
  end_ += block.size();
  position_ = after;
  chain_term_ = header->term;
  last_block_ = block;
  recovery_.completed = true;
  return Ok();
}

Status FileJournal::LevelAnchor() {
  if (!anchor_) return Ok();
  return anchor_->Commit({lineage_, position_, last_block_});
}

Status FileJournal::CheckAtLeast() {
  if (!options_.at_least) return Ok();
  SOTTO_TRY_ASSIGN(const bool contained, Contains(*options_.at_least));
  if (contained) return Ok();
  return Corruption("the journal in " + options_.folder +
                    " was rolled back: it does not contain record " +
                    std::to_string(options_.at_least->tail) +
                    " as it was saved");
}

std::optional<std::string> FileJournal::CheckAppend(
    std::span<const RecordView> records) const {
  if (!ended_.empty()) return ended_;
  return ExplainBadBlock(records, claimed_);
}

AppendResult FileJournal::Append(std::span<const RecordView> records) {
  if (const auto why = CheckAppend(records)) {
    return End(Durability::kFailed, *why);
  }
  if (const Status made = MakeRoom(BlockBytes(records)); !made) {
    return End(Durability::kFailed, made.error().message);
  }
  const SealedBlock block = SealBlock(sealer(), lineage_, position_, term_,
                                      records, RandomNonces(records.size()));
  if (const Status kept = Commit(block); !kept) {
    return End(Durability::kUnknown, kept.error().message, block.after);
  }
  end_ += block.bytes.size();
  position_ = block.after;
  chain_term_ = term_;
  claimed_ = true;
  PrepareNext();
  return {Durability::kDurable, position_, ""};
}

// Both writes, then both syncs at once. Neither is retried. The anchor comes
// first: it can complete what a failure leaves of the journal's block.
Status FileJournal::Commit(const SealedBlock& block) {
  if (anchor_) {
    SOTTO_TRY(anchor_->Write({lineage_, block.after, block.bytes}));
  }
  SOTTO_TRY(WriteWholeAt(files_, fd_, block.bytes, end_));
  if (!anchor_) return files_.SyncData(fd_);
  sync_->Start([this] { return anchor_->Sync(); });
  const Status journal = files_.SyncData(fd_);
  const Status anchor = sync_->Wait();
  return journal ? anchor : journal;
}

AppendResult FileJournal::End(Durability outcome, std::string why,
                              Position intended) {
  if (ended_.empty()) ended_ = why;
  return {outcome, intended, std::move(why)};
}

Status FileJournal::MakeRoom(std::uint64_t block_bytes) {
  if (end_ + block_bytes <= capacity_) return Ok();
  if (end_ > kSegmentHeaderBytes) SOTTO_TRY(StartSegment());
  if (end_ + block_bytes <= capacity_) return Ok();
  SOTTO_TRY(files_.Preallocate(fd_, end_ + block_bytes));
  capacity_ = end_ + block_bytes;
  return Ok();
}

Status FileJournal::StartSegment() {
  SOTTO_TRY_ASSIGN(const int fd,
                   next_.Publish({lineage_, chain_term_, position_}));
  files_.Close(std::exchange(fd_, fd));
  segments_.push_back(position_.tail + 1);
  capacity_ = options_.segment_bytes;
  end_ = kSegmentHeaderBytes;
  return Ok();
}

// Twice as fast as this segment fills, from its middle on: it is ready when
// this one is full, and a model that records little has one file.
void FileJournal::PrepareNext() {
  const std::uint64_t middle = capacity_ / 2;
  if (end_ > middle) next_.Prepare(2 * (end_ - middle));
}

Status FileJournal::Read(std::uint64_t after, const Visitor& visit) {
  if (after + 1 < first()) {
    return Refused("the records before " + std::to_string(first()) +
                   " were deleted");
  }
  const auto visit_new = [&](const JournalEntry& entry) -> Status {
    return entry.index > after ? visit(entry) : Ok();
  };
  const auto visit_block = [&](const PlacedBlock& block) -> Result<Position> {
    if (block.header.last() <= after) {
      return FollowChain(block.header, block.bytes);
    }
    return OpenBlock(keys_, lineage_, block.term_before, block.header,
                     block.bytes, visit_new);
  };
  ChainWalker walker;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    if (i + 1 < segments_.size() && segments_[i + 1] <= after + 1) continue;
    const std::string path = SegmentPath(options_.folder, segments_[i]);
    SOTTO_TRY_ASSIGN(const auto bytes, files_.Read(path, kWholeFile));
    if (const auto walked = walker.Walk(bytes, visit_block); !walked) {
      return InFile(path, walked.error());
    }
  }
  if (walker.position() == position_) return Ok();
  return Corruption("the journal in " + options_.folder +
                    " changed since it was opened");
}

Status FileJournal::WriteSnapshot(std::string_view state) {
  if (!ended_.empty()) return Refused(ended_);
  if (!claimed_) return Refused("the writer has not claimed its term");
  const std::string path = SnapshotPath(options_.folder, position_.tail);
  SOTTO_TRY_ASSIGN(
      const int fd,
      PublishNewFile(files_, path,
                     EncodeSnapshot(sealer(), lineage_, position_, state)));
  files_.Close(fd);
  if (end_ == kSegmentHeaderBytes) return Ok();
  Status started = StartSegment();
  if (!started) ended_ = started.error().message;
  return started;
}

Result<std::optional<Snapshot>> FileJournal::ReadSnapshot() {
  SOTTO_TRY_ASSIGN(const auto names, ListJournalFiles(options_.folder, files_));
  if (names.snapshots.empty()) return std::optional<Snapshot>();
  const std::string path =
      SnapshotPath(options_.folder, names.snapshots.back());
  SOTTO_TRY_ASSIGN(const auto bytes, files_.Read(path, kWholeFile));
  auto snapshot = OpenSnapshot(keys_, lineage_, bytes);
  if (!snapshot) return InFile(path, snapshot.error());
  return std::optional(*std::move(snapshot));
}

Status FileJournal::Prune() {
  SOTTO_TRY_ASSIGN(const auto snapshot, ReadSnapshot());
  if (!snapshot) return Ok();
  const std::uint64_t stands_on = snapshot->position.tail;
  const auto remove = [&](const std::string& path) -> Status {
    SOTTO_TRY(files_.Remove(path));
    return files_.SyncParentFolder(path);
  };
  // Oldest first, each durable before the next: what is left has no gap.
  while (segments_.size() > 1 && segments_[1] <= stands_on + 1) {
    SOTTO_TRY(remove(SegmentPath(options_.folder, segments_.front())));
    segments_.erase(segments_.begin());
  }
  SOTTO_TRY_ASSIGN(const auto names, ListJournalFiles(options_.folder, files_));
  for (const std::uint64_t older : names.snapshots) {
    if (older >= stands_on) continue;
    SOTTO_TRY(remove(SnapshotPath(options_.folder, older)));
  }
  return Ok();
}

}  // namespace sotto
