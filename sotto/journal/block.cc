#include "sotto/journal/block.h"

#include <algorithm>

#include "sotto/base/bytes.h"

namespace sotto {
namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kCrcBytes = 4;
constexpr std::size_t kSealBytes = kNonceBytes + 1 + kTagBytes;
constexpr std::size_t kLeastBlock =
    kBlockHeaderBytes + kLengthBytes + kSealBytes + kBlockEnd.size();

std::string EncodeHeader(const BlockHeader& header, std::uint32_t body_crc) {
  ByteWriter fields;
  fields.Number(header.length);
  fields.Number(header.records);
  fields.Number(body_crc);
  fields.Number(header.first);
  fields.Number(header.term);
  ByteWriter zero;
  zero.Number(std::uint32_t{0});
  const std::string rest = fields.bytes() + std::string(AsText(header.key)) +
                           std::string(AsText(header.previous)) + zero.bytes() +
                           std::string(kBlockMark);
  ByteWriter crc;
  crc.Number(Crc(rest));
  return crc.bytes() + rest;
}

std::uint32_t BodyCrc(std::string_view header) {
  return ByteReader(header.substr(12, kCrcBytes)).Number<std::uint32_t>();
}

std::string_view Body(const BlockHeader& header, std::string_view bytes) {
  return bytes.substr(kBlockHeaderBytes, header.length - kBlockHeaderBytes);
}

// The sealed records of a body, if they fill it exactly.
std::optional<std::vector<std::string_view>> SplitBody(
    const BlockHeader& header, std::string_view body) {
  if (!body.ends_with(kBlockEnd)) return std::nullopt;
  body.remove_suffix(kBlockEnd.size());
  std::vector<std::string_view> sealed;
  while (body.size() >= kLengthBytes) {
    const auto size =
        ByteReader(body.substr(0, kLengthBytes)).Number<std::uint32_t>();
    body.remove_prefix(kLengthBytes);
    if (size < kSealBytes || size > body.size()) return std::nullopt;
    sealed.push_back(body.substr(0, size));
    body.remove_prefix(size);
  }
  if (!body.empty() || sealed.size() != header.records) return std::nullopt;
  return sealed;
}

std::string Plain(const RecordView& record) {
  std::string plain(1, static_cast<char>(record.type));
  return plain.append(record.payload);
}

bool KnownType(std::uint8_t type) {
  return type >= static_cast<std::uint8_t>(RecordType::kModel) &&
         type <= static_cast<std::uint8_t>(RecordType::kSnapshot);
}

// A new term starts with a CLAIM of it; no other record changes the term.
Status CheckTerm(const BlockHeader& header, std::uint64_t term,
                 const JournalEntry& entry) {
  const bool claim = entry.record.type == RecordType::kClaim;
  if (entry.index == header.first && header.term != term && !claim) {
    return Corruption("a block has a new term without a claim");
  }
  if (!claim) return Ok();
  SOTTO_TRY_ASSIGN(const auto claimed, ReadClaimTerm(entry.record.payload));
  if (claimed != header.term) {
    return Corruption("a claim is of another term than its block");
  }
  return Ok();
}

}  // namespace

std::size_t BlockBytes(std::span<const RecordView> records) {
  std::size_t bytes = kBlockHeaderBytes + kBlockEnd.size();
  for (const RecordView& record : records) {
    bytes += kLengthBytes + kSealBytes + record.payload.size();
  }
  return bytes;
}

std::optional<std::string> ExplainBadBlock(std::span<const RecordView> records,
                                           bool claimed) {
  if (records.empty()) return "a block needs a record";
  if (!claimed && records.front().type != RecordType::kClaim) {
    return "the writer has not claimed its term";
  }
  const bool too_long = std::ranges::any_of(records, [](const auto& record) {
    return record.payload.size() > Journal::kMostPayloadBytes;
  });
  if (too_long || BlockBytes(records) > Journal::kMostBlockBytes) {
    return "a record has more than 32 MiB, or a block more than 64";
  }
  return std::nullopt;
}

SealedBlock SealBlock(const JournalKeys& keys, const Lineage& lineage,
                      const Position& before, std::uint64_t term,
                      std::span<const RecordView> records,
                      std::span<const std::uint8_t> nonces) {
  std::string body;
  body.reserve(BlockBytes(records) - kBlockHeaderBytes);
  Position after = before;
  for (const RecordView& record : records) {
    ByteWriter length;
    length.Number(
        static_cast<std::uint32_t>(kSealBytes + record.payload.size()));
    body += length.bytes();
    const std::size_t start = body.size();
    Seal(keys.sealing, RecordPlace(lineage, after.tail + 1, after.head),
         Plain(record), nonces.first<kNonceBytes>(), body);
    nonces = nonces.subspan(kNonceBytes);
    after = {after.tail + 1,
             NextHash(after.head, std::string_view(body).substr(start))};
  }
  body += kBlockEnd;
  const BlockHeader header{
      .length = static_cast<std::uint32_t>(kBlockHeaderBytes + body.size()),
      .records = static_cast<std::uint32_t>(records.size()),
      .first = before.tail + 1,
      .term = term,
      .key = keys.sealing_id,
      .previous = before.head};
  return {EncodeHeader(header, Crc(body)) + body, after};
}

std::optional<BlockHeader> ReadBlockHeader(std::string_view bytes) {
  if (bytes.size() < kBlockHeaderBytes) return std::nullopt;
  bytes = bytes.substr(0, kBlockHeaderBytes);
  if (!bytes.ends_with(kBlockMark)) return std::nullopt;
  ByteReader reader(bytes);
  const auto crc = reader.Number<std::uint32_t>();
  if (crc != Crc(bytes.substr(kCrcBytes))) return std::nullopt;
  BlockHeader header;
  header.length = reader.Number<std::uint32_t>();
  header.records = reader.Number<std::uint32_t>();
  static_cast<void>(reader.Number<std::uint32_t>());
  header.first = reader.Number<std::uint64_t>();
  header.term = reader.Number<std::uint64_t>();
  header.key = AsArray<8>(bytes.substr(32, 8));
  header.previous = AsArray<32>(bytes.substr(40, 32));
  if (header.length < kLeastBlock || header.records == 0 ||
      header.length > Journal::kMostBlockBytes) {
    return std::nullopt;
  }
  return header;
}

std::optional<BlockHeader> ReadBlock(std::string_view bytes) {
  const auto header = ReadBlockHeader(bytes);
  if (!header || header->length > bytes.size()) return std::nullopt;
  const std::string_view body = Body(*header, bytes);
  if (Crc(body) != BodyCrc(bytes)) return std::nullopt;
  if (!SplitBody(*header, body)) return std::nullopt;
  return header;
}

Position FollowChain(const BlockHeader& header, std::string_view bytes) {
  Position position{header.first - 1, header.previous};
  const auto records = SplitBody(header, Body(header, bytes));
  for (const std::string_view sealed : *records) {
    position = {position.tail + 1, NextHash(position.head, sealed)};
  }
  return position;
}

Result<Position> OpenBlock(std::span<const JournalKeys> keys,
                           const Lineage& lineage, std::uint64_t term,
                           const BlockHeader& header, std::string_view bytes,
                           const Journal::Visitor& visit) {
  const auto key =
      std::ranges::find(keys, header.key, &JournalKeys::sealing_id);
  if (key == keys.end()) return Corruption("no key given opens this block");
  JournalEntry entry{{}, header.first - 1, header.previous};
  const auto records = SplitBody(header, Body(header, bytes));
  std::string plain;
  for (const std::string_view sealed : *records) {
    ++entry.index;
    plain.clear();
    if (!Unseal(key->sealing, RecordPlace(lineage, entry.index, entry.head),
                sealed, plain) ||
        !KnownType(static_cast<std::uint8_t>(plain.front()))) {
      return Corruption("record " + std::to_string(entry.index) +
                        " does not open: its seal or type is wrong");
    }
    entry.head = NextHash(entry.head, sealed);
    entry.record = {static_cast<RecordType>(plain.front()),
                    std::string_view(plain).substr(1)};
    SOTTO_TRY(CheckTerm(header, term, entry));
    SOTTO_TRY(visit(entry));
  }
  return Position{entry.index, entry.head};
}

}  // namespace sotto
