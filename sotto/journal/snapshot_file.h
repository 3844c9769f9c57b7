#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sotto/base/result.h"
#include "sotto/journal/journal.h"
#include "sotto/journal/journal_keys.h"

namespace sotto {

// A sealed state and the record it stands on, as docs/formats/journal.md says.
// Threads: free functions and values.
inline constexpr std::size_t kSnapshotHeaderBytes = 88;

struct SnapshotHeader {
  Lineage lineage{};
  Position position;
  KeyId key{};
  std::uint32_t parts = 0;
};

std::string EncodeSnapshot(const JournalKeys& keys, const Lineage& lineage,
                           const Position& position, std::string_view state);
std::optional<SnapshotHeader> ReadSnapshotHeader(std::string_view bytes);
// Fails with kCorruption.
Result<Snapshot> OpenSnapshot(std::span<const JournalKeys> keys,
                              const Lineage& lineage, std::string_view bytes);

}  // namespace sotto
