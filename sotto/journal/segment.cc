#include "sotto/journal/segment.h"

#include <algorithm>
#include <array>

#include "sotto/base/bytes.h"

namespace sotto {
namespace {

constexpr std::string_view kMagic = "SOTTO-JOURNAL-1\n";
constexpr std::uint64_t kSector = 512;

bool IsZero(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

bool HasZero(std::string_view bytes) {
  return bytes.find('\0') != std::string_view::npos;
}

// Tells if a sector's part of [offset, offset + length) did not arrive. The
// file reads as zeros behind its end.
bool LacksSector(std::string_view segment, std::uint64_t offset,
                 std::uint64_t length) {
  const std::uint64_t end = offset + length;
  while (offset < end) {
    const std::uint64_t next = std::min(end, (offset / kSector + 1) * kSector);
    if (offset >= segment.size()) return true;
    if (IsZero(segment.substr(offset, next - offset))) return true;
    offset = next;
  }
  return false;
}

// Tells if one of the mark's bytes did not arrive.
bool LacksMark(std::string_view segment, std::uint64_t offset) {
  if (offset + kBlockMark.size() > segment.size()) return true;
  return HasZero(segment.substr(offset, kBlockMark.size()));
}

// The bytes up to the last one that is not zero. Most of a segment's room is
// zeros, so it goes in large steps first.
std::string_view WithoutZeros(std::string_view bytes) {
  static constexpr std::array<char, 4096> kZeros{};
  const std::string_view zeros(kZeros.data(), kZeros.size());
  while (bytes.ends_with(zeros)) bytes.remove_suffix(zeros.size());
  return bytes.substr(0, bytes.find_last_not_of('\0') + 1);
}

bool ValidBlockFollows(std::string_view segment, std::uint64_t offset) {
  constexpr std::size_t kMarkAt = kBlockHeaderBytes - kBlockMark.size();
  std::size_t mark = segment.find(kBlockMark, offset + 1 + kMarkAt);
  while (mark != std::string_view::npos) {
    if (ReadBlock(segment.substr(mark - kMarkAt))) return true;
    mark = segment.find(kBlockMark, mark + 1);
  }
  return false;
}

bool IsTorn(std::string_view segment, const SegmentEnd& end) {
  const auto header = ReadBlockHeader(segment.substr(end.offset));
  const std::uint64_t length = header ? header->length : kBlockHeaderBytes;
  if (header && end.used > length) return false;
  return LacksSector(segment, end.offset, length) ||
         LacksMark(segment, end.offset + length - kBlockMark.size());
}

}  // namespace

std::string EncodeSegmentHeader(const SegmentHeader& header) {
  ByteWriter numbers;
  numbers.Number(header.before.tail + 1);
  numbers.Number(header.term);
  std::string bytes = std::string(kMagic)
                          .append(AsText(header.lineage))
                          .append(numbers.bytes())
                          .append(AsText(header.before.head));
  ByteWriter end;
  end.Number(Crc(bytes));
  end.Number(std::uint32_t{0});
  return bytes + end.bytes();
}

std::optional<SegmentHeader> ReadSegmentHeader(std::string_view bytes) {
  if (bytes.size() < kSegmentHeaderBytes) return std::nullopt;
  bytes = bytes.substr(0, kSegmentHeaderBytes);
  SegmentHeader header;
  header.lineage = AsArray<16>(bytes.substr(16, 16));
  ByteReader numbers(bytes.substr(32, 16));
  header.before.tail = numbers.Number<std::uint64_t>() - 1;
  header.term = numbers.Number<std::uint64_t>();
  header.before.head = AsArray<32>(bytes.substr(48, 32));
  // The one encoding of these fields, CRC and zeros included.
  if (EncodeSegmentHeader(header) != bytes) return std::nullopt;
  return header;
}

SegmentEnd ClassifyEnd(std::string_view segment, std::uint64_t offset) {
  using Kind = SegmentEnd::Kind;
  SegmentEnd end{.offset = offset};
  end.used = WithoutZeros(segment.substr(offset)).size();
  if (end.used == 0) return end;
  if (ValidBlockFollows(segment, offset)) {
    end.kind = Kind::kGap;
  } else {
    end.kind = IsTorn(segment, end) ? Kind::kTorn : Kind::kDamaged;
  }
  return end;
}

Result<SegmentEnd> ChainWalker::Walk(std::string_view segment,
                                     const Visitor& visit) {
  SOTTO_TRY(Begin(segment));
  std::uint64_t offset = kSegmentHeaderBytes;
  while (const auto block = ReadBlock(segment.substr(offset))) {
    SOTTO_TRY(CheckContinues(*block, offset));
    SOTTO_TRY_ASSIGN(at_.before,
                     visit({*block, segment.substr(offset, block->length),
                            offset, at_.term}));
    at_.term = block->term;
    offset += block->length;
  }
  return ClassifyEnd(segment, offset);
}

Status ChainWalker::Begin(std::string_view segment) {
  const auto header = ReadSegmentHeader(segment);
  if (!header) return Corruption("its header is damaged (offset 0)");
  const bool genesis = header->before.tail == 0;
  if (genesis && header->before.head != GenesisHash(header->lineage)) {
    return Corruption("its first head is not the lineage's (offset 48)");
  }
  if (begun_ && *header != at_) {
    return Corruption(
        "it does not continue the segment before it (offset 0): records are "
        "missing or another journal's");
  }
  begun_ = true;
  at_ = *header;
  return Ok();
}

Status ChainWalker::CheckContinues(const BlockHeader& block,
                                   std::uint64_t offset) const {
  if (block.first == at_.before.tail + 1 && block.previous == at_.before.head &&
      block.term >= at_.term) {
    return Ok();
  }
  return Corruption("the block at offset " + std::to_string(offset) +
                    " does not continue the one before it");
}

}  // namespace sotto
