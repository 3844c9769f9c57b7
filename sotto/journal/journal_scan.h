#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/data/files/file_system.h"
#include "sotto/journal/block.h"
#include "sotto/journal/journal.h"
#include "sotto/journal/segment.h"

namespace sotto {

// Files of a journal's folder, by the number in their names, ascending.
struct JournalFiles {
  std::vector<std::uint64_t> segments;   // first indices
  std::vector<std::uint64_t> snapshots;  // indices they stand on
};

Result<JournalFiles> ListJournalFiles(const std::string& folder,
                                      FileSystem& files);
std::string SegmentPath(const std::string& folder, std::uint64_t first);
std::string SnapshotPath(const std::string& folder, std::uint64_t stands_on);

// A journal as its folder holds it.
struct JournalScan {
  Lineage lineage{};
  JournalFiles names;
  Position position;
  std::uint64_t term = 0;
  std::vector<KeyId> keys;  // that its blocks name
  SegmentEnd end;           // of the last segment
  std::uint64_t capacity = 0;
  std::optional<BlockHeader> last;  // block
  std::string last_bytes;
  std::uint64_t last_offset = 0;  // 0: in an earlier segment
};

// Reads and checks all of a journal that takes no key: CRCs, chain, order,
// snapshots' places. Changes nothing. Fails with kCorruption, naming file and
// offset, unless at most the end of the last segment is bad, which `end` says.
Result<JournalScan> ScanJournal(const std::string& folder, FileSystem& files);

// "FILE: MESSAGE", with the same code.
Error InFile(const std::string& path, const Error& error);

}  // namespace sotto
