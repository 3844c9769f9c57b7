// A journal's segment, and one with changed bytes: no record is read that was
// not written, and nothing that is missing passes for a clean end.
//
//   tools/fuzz.sh journal

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/journal/anchor.h"
#include "sotto/journal/block.h"
#include "sotto/journal/journal_keys.h"
#include "sotto/journal/segment.h"
#include "sotto/random/key.h"

namespace {

using sotto::JournalKeys;
using sotto::Lineage;
using sotto::RecordType;
using sotto::RecordView;
using sotto::Result;

constexpr std::size_t kRoom = 4096;

struct Sample {
  std::vector<JournalKeys> keys;
  Lineage lineage{};
  std::vector<std::string> payloads;  // in order
  std::string segment;                // with zeros behind it
};

// Records of every type, in blocks of one, two and seven.
const Sample& Written() {
  static const Sample kSample = [] {
    Sample sample;
    const auto root =
        sotto::Key::FromBytes(std::array<std::byte, sotto::Key::kBytes>{});
    sample.keys = {JournalKeys::Derive(root, sample.lineage)};
    sotto::SegmentHeader header;
    header.before.head = sotto::GenesisHash(header.lineage);
    sample.segment = sotto::EncodeSegmentHeader(header);
    sotto::Position at = header.before;
    const std::string claim("\1\0\0\0\0\0\0\0", 8);
    std::vector<std::vector<std::uint8_t>> blocks = {
        {6}, {1, 2}, {3, 4, 5, 7, 8, 9, 3}};
    for (const auto& types : blocks) {
      std::vector<RecordView> records;
      for (const std::uint8_t type : types) {
        sample.payloads.push_back(type == 6 ? claim
                                            : std::string(type * 9U, 'p'));
      }
      const std::size_t first = sample.payloads.size() - types.size();
      for (std::size_t i = 0; i < types.size(); ++i) {
        records.push_back(
            {static_cast<RecordType>(types[i]), sample.payloads[first + i]});
      }
      const std::vector<std::uint8_t> nonces(types.size() * sotto::kNonceBytes,
                                             7);
      const auto sealed = sotto::SealBlock(sample.keys[0], sample.lineage, at,
                                           1, records, nonces);
      sample.segment += sealed.bytes;
      at = sealed.after;
    }
    sample.segment.resize(kRoom, '\0');
    return sample;
  }();
  return kSample;
}

// Reads a segment with the sample's key. Returns how many of the sample's
// records it has; ends the program if it has another.
std::size_t Read(std::string_view segment, bool& clean) {
  const Sample& sample = Written();
  sotto::ChainWalker walker;
  std::size_t read = 0;
  const auto end = walker.Walk(
      segment, [&](const sotto::PlacedBlock& block) -> Result<sotto::Position> {
        return sotto::OpenBlock(
            sample.keys, walker.lineage(), block.term_before, block.header,
            block.bytes,
            [&](const sotto::JournalEntry& entry) -> sotto::Status {
              if (entry.index != read + 1 || read == sample.payloads.size() ||
                  entry.record.payload != sample.payloads[read]) {
                std::abort();
              }
              ++read;
              return sotto::Ok();
            });
      });
  clean = end && end->kind == sotto::SegmentEnd::Kind::kClean;
  return read;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  bool clean = false;
  static_cast<void>(Read(bytes, clean));
  static_cast<void>(sotto::ReadAnchorSlot(bytes));
  static_cast<void>(sotto::ReadBlock(bytes));
  if (size < 3) return 0;
  // Changes the bytes at a place: xor, so that zero changes nothing.
  std::string changed = Written().segment;
  const std::size_t place = (data[0] | data[1] << 8) % changed.size();
  bool touched = false;
  for (std::size_t i = 2; i < size && place + i - 2 < changed.size(); ++i) {
    char& byte = changed[place + i - 2];
    byte = static_cast<char>(byte ^ data[i]);
    touched = touched || data[i] != 0;
  }
  const std::size_t read = Read(changed, clean);
  if (!touched && (read != Written().payloads.size() || !clean)) std::abort();
  // Wiping a whole block is a lost write; the anchor notices that.
  const bool wiped =
      changed.find_first_not_of('\0', place) == std::string::npos;
  if (touched && clean && read < Written().payloads.size() && !wiped) {
    std::abort();
  }
  return 0;
}
