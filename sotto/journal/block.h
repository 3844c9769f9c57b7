#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/journal/journal.h"
#include "sotto/journal/journal_keys.h"
#include "sotto/journal/sealed_record.h"

namespace sotto {

// The records of one commit as bytes: a block of a segment, the end of an
// anchor slot, a row of a database. The layout is in docs/formats/journal.md.
//
// Threads: free functions and values.
inline constexpr std::size_t kBlockHeaderBytes = 80;
inline constexpr std::string_view kBlockMark = "SJB1";
inline constexpr std::string_view kBlockEnd = "END1";

struct BlockHeader {
  std::uint32_t length = 0;
  std::uint32_t records = 0;
  std::uint64_t first = 0;
  std::uint64_t term = 0;
  KeyId key{};
  ChainHash previous{};

  std::uint64_t last() const { return first + records - 1; }
};

struct SealedBlock {
  std::string bytes;
  Position after;
};

// Length of the block of these records.
std::size_t BlockBytes(std::span<const RecordView> records);

// Why a writer may not append these records; absent if it may. `claimed`: the
// writer has claimed its term.
std::optional<std::string> ExplainBadBlock(std::span<const RecordView> records,
                                           bool claimed);

// Requires 1 <= records.size(), kNonceBytes nonce bytes for each of them, and
// BlockBytes(records) <= Journal::kMostBlockBytes.
SealedBlock SealBlock(const JournalKeys& keys, const Lineage& lineage,
                      const Position& before, std::uint64_t term,
                      std::span<const RecordView> records,
                      std::span<const std::uint8_t> nonces);

// The header at the beginning of the bytes, if it is one: CRC, mark, a length
// that is possible.
std::optional<BlockHeader> ReadBlockHeader(std::string_view bytes);
// The same, if the whole block is valid: CRC and mark of the body, records that
// fill it. Seals are not opened.
std::optional<BlockHeader> ReadBlock(std::string_view bytes);

// The position after a valid block.
Position FollowChain(const BlockHeader& header, std::string_view bytes);
// Opens every seal of a valid block, checks its CLAIM and returns the position
// after it. `term` is the term before the block. Fails with kCorruption, and as
// the visitor does.
Result<Position> OpenBlock(std::span<const JournalKeys> keys,
                           const Lineage& lineage, std::uint64_t term,
                           const BlockHeader& header, std::string_view bytes,
                           const Journal::Visitor& visit);

}  // namespace sotto
