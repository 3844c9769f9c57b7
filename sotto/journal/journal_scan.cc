#include "sotto/journal/journal_scan.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <string_view>

#include "sotto/journal/snapshot_file.h"

namespace sotto {
namespace {

constexpr std::string_view kSegmentPrefix = "journal-";
constexpr std::string_view kSnapshotPrefix = "snapshot-";
constexpr std::size_t kDigits = 16;

std::string NumberedPath(const std::string& folder, std::string_view prefix,
                         std::uint64_t number) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string digits(kDigits, '0');
  for (std::size_t i = kDigits; i-- > 0; number >>= 4) {
    digits[i] = kHex[number & 0xf];
  }
  return folder + "/" + std::string(prefix) + digits;
}

void TakeNumber(std::string_view name, std::string_view prefix,
                std::vector<std::uint64_t>& numbers) {
  if (!name.starts_with(prefix)) return;
  name.remove_prefix(prefix.size());
  std::uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), number, 16);
  if (name.size() == kDigits && error == std::errc() &&
      end == name.data() + name.size()) {
    numbers.push_back(number);
  }
}

// Snapshots must stand on positions of the chain, unless records before them
// were deleted.
class SnapshotChecks {
 public:
  Status Read(const std::string& folder, FileSystem& files,
              const JournalFiles& names) {
    for (const std::uint64_t stands_on : names.snapshots) {
      const std::string path = SnapshotPath(folder, stands_on);
      SOTTO_TRY_ASSIGN(const auto bytes,
                       files.Read(path, kSnapshotHeaderBytes));
      const auto header = ReadSnapshotHeader(bytes);
      if (!header || header->position.tail != stands_on) {
        return InFile(path, Corruption("its header is damaged"));
      }
      unseen_[stands_on] = *header;
    }
    return Ok();
  }

  Status Pass(const Lineage& lineage, const Position& position) {
    const auto found = unseen_.find(position.tail);
    if (found == unseen_.end()) return Ok();
    const SnapshotHeader& header = found->second;
    if (header.lineage != lineage || header.position != position) {
      return Corruption("the snapshot of record " +
                        std::to_string(position.tail) +
                        " stands on another journal");
    }
    passed_ = true;
    unseen_.erase(found);
    return Ok();
  }

  // `first`: index of the first record that is left.
  Status Finish(std::uint64_t first) const {
    if (!unseen_.empty() && unseen_.rbegin()->first >= first) {
      return Corruption("a snapshot stands on record " +
                        std::to_string(unseen_.rbegin()->first) +
                        ", at which no block of the journal ends");
    }
    if (first > 1 && !passed_) {
      return Corruption("the records before " + std::to_string(first) +
                        " are missing, and no snapshot stands for them");
    }
    return Ok();
  }

 private:
  std::map<std::uint64_t, SnapshotHeader> unseen_;
  bool passed_ = false;
};

Status CheckEnd(const SegmentEnd& end, bool last_segment) {
  const bool torn_at_most =
      end.kind == SegmentEnd::Kind::kClean ||
      (last_segment && end.kind != SegmentEnd::Kind::kGap);
  if (torn_at_most) return Ok();
  return Corruption("damaged at offset " + std::to_string(end.offset) +
                    "; valid records follow");
}

class Scanner {
 public:
  Scanner(const std::string& folder, FileSystem& files)
      : folder_(folder), files_(files) {}

  Result<JournalScan> Run() {
    SOTTO_TRY_ASSIGN(scan_.names, ListJournalFiles(folder_, files_));
    if (scan_.names.segments.empty()) {
      return Corruption("no journal in " + folder_);
    }
    SOTTO_TRY(snapshots_.Read(folder_, files_, scan_.names));
    for (const std::uint64_t first : scan_.names.segments) {
      const std::string path = SegmentPath(folder_, first);
      if (const auto walked = WalkFile(path, first); !walked) {
        return InFile(path, walked.error());
      }
    }
    SOTTO_TRY(snapshots_.Finish(scan_.names.segments.front()));
    scan_.lineage = walker_.lineage();
    scan_.position = walker_.position();
    scan_.term = walker_.term();
    return std::move(scan_);
  }

 private:
  Status WalkFile(const std::string& path, std::uint64_t first) {
    SOTTO_TRY_ASSIGN(
        const auto bytes,
        files_.Read(path, std::numeric_limits<std::uint64_t>::max()));
    const auto header = ReadSegmentHeader(bytes);
    if (header && header->before.tail + 1 != first) {
      return Corruption("its header names another first record (offset 32)");
    }
    if (header) SOTTO_TRY(snapshots_.Pass(header->lineage, header->before));
    scan_.last_offset = 0;
    SOTTO_TRY_ASSIGN(scan_.end, walker_.Walk(bytes, [&](const auto& block) {
      return Visit(block);
    }));
    scan_.capacity = bytes.size();
    return CheckEnd(scan_.end, first == scan_.names.segments.back());
  }

  Result<Position> Visit(const PlacedBlock& block) {
    const Position after = FollowChain(block.header, block.bytes);
    SOTTO_TRY(snapshots_.Pass(walker_.lineage(), after));
    if (std::ranges::find(scan_.keys, block.header.key) == scan_.keys.end()) {
      scan_.keys.push_back(block.header.key);
    }
    scan_.last = block.header;
    scan_.last_bytes = block.bytes;
    scan_.last_offset = block.offset;
    return after;
  }

  const std::string& folder_;
  FileSystem& files_;
  ChainWalker walker_;
  SnapshotChecks snapshots_;
  JournalScan scan_;
};

}  // namespace

Result<JournalFiles> ListJournalFiles(const std::string& folder,
                                      FileSystem& files) {
  SOTTO_TRY_ASSIGN(const auto names, files.List(folder));
  JournalFiles found;
  for (const std::string& name : names) {
    TakeNumber(name, kSegmentPrefix, found.segments);
    TakeNumber(name, kSnapshotPrefix, found.snapshots);
  }
  std::ranges::sort(found.segments);
  std::ranges::sort(found.snapshots);
  return found;
}

std::string SegmentPath(const std::string& folder, std::uint64_t first) {
  return NumberedPath(folder, kSegmentPrefix, first);
}

std::string SnapshotPath(const std::string& folder, std::uint64_t stands_on) {
  return NumberedPath(folder, kSnapshotPrefix, stands_on);
}

Result<JournalScan> ScanJournal(const std::string& folder, FileSystem& files) {
  return Scanner(folder, files).Run();
}

Error InFile(const std::string& path, const Error& error) {
  return {error.code, path + ": " + error.message};
}

}  // namespace sotto
