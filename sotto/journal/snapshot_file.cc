#include "sotto/journal/snapshot_file.h"

#include <algorithm>

#include "sotto/base/bytes.h"
#include "sotto/journal/sealed_record.h"

namespace sotto {
namespace {

constexpr std::string_view kMagic = "SOTTO-SNAPSHOT-1";
constexpr std::size_t kPartBytes = std::size_t{1} << 20;
constexpr std::size_t kLengthBytes = 4;

std::string EncodeHeader(const SnapshotHeader& header) {
  ByteWriter index;
  index.Number(header.position.tail);
  ByteWriter parts;
  parts.Number(header.parts);
  std::string bytes = std::string(kMagic)
                          .append(AsText(header.lineage))
                          .append(index.bytes())
                          .append(AsText(header.position.head))
                          .append(AsText(header.key))
                          .append(parts.bytes());
  ByteWriter crc;
  crc.Number(Crc(bytes));
  return bytes + crc.bytes();
}

std::string PartPlace(const SnapshotHeader& header, std::uint32_t part) {
  ByteWriter end;
  end.Number(part);
  end.Number(static_cast<std::uint8_t>(part + 1 == header.parts ? 1 : 0));
  return RecordPlace(header.lineage, header.position.tail,
                     header.position.head) +
         end.bytes();
}

}  // namespace

std::string EncodeSnapshot(const JournalKeys& keys, const Lineage& lineage,
                           const Position& position, std::string_view state) {
  const SnapshotHeader header{
      lineage, position, keys.sealing_id,
      static_cast<std::uint32_t>(std::max<std::size_t>(
          1, (state.size() + kPartBytes - 1) / kPartBytes))};
  const auto nonces = RandomNonces(header.parts);
  std::string bytes = EncodeHeader(header);
  for (std::uint32_t part = 0; part < header.parts; ++part) {
    const std::string_view plain = state.substr(0, kPartBytes);
    state.remove_prefix(plain.size());
    ByteWriter length;
    length.Number(
        static_cast<std::uint32_t>(kNonceBytes + plain.size() + kTagBytes));
    bytes += length.bytes();
    const auto nonce = std::span(nonces).subspan(part * kNonceBytes);
    Seal(keys.sealing, PartPlace(header, part), plain,
         nonce.first<kNonceBytes>(), bytes);
  }
  return bytes;
}

std::optional<SnapshotHeader> ReadSnapshotHeader(std::string_view bytes) {
  if (bytes.size() < kSnapshotHeaderBytes) return std::nullopt;
  bytes = bytes.substr(0, kSnapshotHeaderBytes);
  SnapshotHeader header;
  header.lineage = AsArray<16>(bytes.substr(16, 16));
  header.position.tail =
      ByteReader(bytes.substr(32, 8)).Number<std::uint64_t>();
  header.position.head = AsArray<32>(bytes.substr(40, 32));
  header.key = AsArray<8>(bytes.substr(72, 8));
  header.parts = ByteReader(bytes.substr(80, 4)).Number<std::uint32_t>();
  // The one encoding of these fields, CRC included.
  if (EncodeHeader(header) != bytes) return std::nullopt;
  return header;
}

Result<Snapshot> OpenSnapshot(std::span<const JournalKeys> keys,
                              const Lineage& lineage, std::string_view bytes) {
  const auto header = ReadSnapshotHeader(bytes);
  if (!header || header->lineage != lineage) {
    return Corruption("the snapshot's header is damaged or another lineage's");
  }
  const auto key =
      std::ranges::find(keys, header->key, &JournalKeys::sealing_id);
  if (key == keys.end()) return Corruption("no key given opens the snapshot");
  bytes.remove_prefix(kSnapshotHeaderBytes);
  Snapshot snapshot{header->position, {}};
  snapshot.state.reserve(bytes.size());
  for (std::uint32_t part = 0; part < header->parts; ++part) {
    ByteReader reader(bytes.substr(0, kLengthBytes));
    const auto length = reader.Number<std::uint32_t>();
    bytes.remove_prefix(std::min(kLengthBytes, bytes.size()));
    if (length > bytes.size() ||
        !Unseal(key->sealing, PartPlace(*header, part), bytes.substr(0, length),
                snapshot.state)) {
      return Corruption("part " + std::to_string(part) +
                        " of the snapshot does not open");
    }
    bytes.remove_prefix(length);
  }
  if (!bytes.empty()) return Corruption("bytes follow the snapshot");
  return snapshot;
}

}  // namespace sotto
