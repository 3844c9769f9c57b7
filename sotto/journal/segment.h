#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/result.h"
#include "sotto/journal/block.h"
#include "sotto/journal/journal.h"

namespace sotto {

// A file of blocks. The layout and the rule for its end are in
// docs/formats/journal.md.
inline constexpr std::size_t kSegmentHeaderBytes = 88;

struct SegmentHeader {
  Lineage lineage{};
  std::uint64_t term = 0;  // before the first block
  Position before;         // the first record

  friend bool operator==(const SegmentHeader&, const SegmentHeader&) = default;
};

std::string EncodeSegmentHeader(const SegmentHeader& header);
std::optional<SegmentHeader> ReadSegmentHeader(std::string_view bytes);

// How the bytes behind the last valid block of a segment read.
struct SegmentEnd {
  enum class Kind {
    kClean,    // zeros
    kTorn,     // a write of which a part did not arrive
    kDamaged,  // nothing valid follows, but every part arrived
    kGap,      // a valid block follows
  };
  Kind kind = Kind::kClean;
  std::uint64_t offset = 0;  // where the next block goes
  std::uint64_t used = 0;    // bytes behind it up to the last that is not zero
};

SegmentEnd ClassifyEnd(std::string_view segment, std::uint64_t offset);

// One valid block and its place.
struct PlacedBlock {
  BlockHeader header;
  std::string_view bytes;
  std::uint64_t offset = 0;
  std::uint64_t term_before = 0;
};

// Follows the chain from segment to segment.
//
//   ChainWalker walker;
//   auto end = walker.Walk(bytes, [](const PlacedBlock& block) {...});
//
// The visitor returns the position after the block, as FollowChain and
// OpenBlock do. Threads: not thread-safe.
class ChainWalker {
 public:
  using Visitor = std::function<Result<Position>(const PlacedBlock&)>;

  // Visits the valid blocks of the next segment. Fails with kCorruption if its
  // header or a block does not continue what came before, and as the visitor
  // does. The first segment may start anywhere, unless it starts at record 1.
  Result<SegmentEnd> Walk(std::string_view segment, const Visitor& visit);

  const Lineage& lineage() const { return at_.lineage; }
  const Position& position() const { return at_.before; }
  std::uint64_t term() const { return at_.term; }

 private:
  Status Begin(std::string_view segment);
  Status CheckContinues(const BlockHeader& block, std::uint64_t offset) const;

  bool begun_ = false;
  SegmentHeader at_;
};

}  // namespace sotto
