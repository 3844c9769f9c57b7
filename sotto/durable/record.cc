#include "sotto/durable/record.h"

#include <algorithm>
#include <utility>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_bytes.h"

namespace sotto {
namespace {

// Bits of the first byte of a round.
constexpr std::uint8_t kPresenceBits = 3;
constexpr std::uint8_t kHasUser = 4;
constexpr std::uint8_t kHasRepeat = 8;
constexpr std::uint8_t kHasLabel = 16;
constexpr std::uint8_t kAllBits = 31;

constexpr std::size_t kHashBytes = std::tuple_size_v<Hash16>;

Error Corrupt() { return Corruption("a record makes no sense"); }

std::string_view View(const Hash16& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

Hash16 ReadHash(ByteReader& reader) {
  Hash16 hash{};
  const std::string_view bytes = reader.Raw(hash.size());
  bytes.copy(reinterpret_cast<char*>(hash.data()), hash.size());
  return hash;
}

std::uint8_t PresenceCode(Presence presence) {
  switch (presence) {
    case Presence::kPresent:
      return 0;
    case Presence::kAbsent:
      return 1;
    case Presence::kUnusable:
    case Presence::kRefused:
      break;
  }
  return 2;
}

// Features of value 1, which is what categories are, by their indices alone.
void WriteFeatures(const FeatureVector& x, ByteWriter& writer) {
  std::uint32_t ones = 0;
  for (const Feature& feature : x) ones += feature.value == 1 ? 1U : 0U;
  writer.Number(ones);
  for (const Feature& feature : x) {
    if (feature.value == 1) writer.Number(feature.index);
  }
  for (const Feature& feature : x) {
    if (feature.value != 1) WriteFeature(feature, writer);
  }
}

// Merges the two lists, each of which is sorted by index.
Result<FeatureVector> ReadFeatures(ByteReader& reader) {
  const auto ones = reader.Number<std::uint32_t>();
  if (ones > reader.RoomFor(sizeof(std::uint32_t))) return Corrupt();
  ByteReader first(reader.Raw(std::uint64_t{ones} * sizeof(std::uint32_t)));
  FeatureVector x;
  x.reserve(ones + static_cast<std::size_t>(reader.RoomFor(kFeatureBytes)));
  for (std::uint32_t i = 0; i < ones; ++i) {
    x.push_back({first.Number<std::uint32_t>(), 1});
  }
  while (reader.RoomFor(kFeatureBytes) > 0) x.push_back(ReadFeature(reader));
  const auto before = [](const Feature& a, const Feature& b) {
    return a.index < b.index;
  };
  std::inplace_merge(x.begin(), x.begin() + ones, x.end(), before);
  return x;
}

std::optional<Label> ReadLabel(ByteReader& reader, const LabelType& labels) {
  const Label label = labels.FromNumber(reader.Real());
  return labels.Has(label) ? std::optional(label) : std::nullopt;
}

}  // namespace

Record EncodeRound(const RoundRecord& record, RecordType type) {
  const Round& round = record.round;
  ByteWriter writer;
  std::uint8_t bits = PresenceCode(round.presence);
  if (!round.user.empty()) bits |= kHasUser;
  if (record.repeat) bits |= kHasRepeat;
  if (round.y) bits |= kHasLabel;
  writer.Number(bits);
  if (!round.user.empty()) writer.Raw(round.user);
  if (record.repeat) writer.Raw(View(*record.repeat));
  if (round.y) writer.Real(round.y->number());
  if (round.present()) {
    WriteFeatures(round.x, writer);
  } else {
    writer.Raw(std::string_view(record.error).substr(0, kMaxErrorBytes));
  }
  return {type, std::move(writer).bytes()};
}

Result<RoundRecord> DecodeRound(std::string_view payload,
                                const LabelType& labels) {
  ByteReader reader(payload);
  RoundRecord record;
  Round& round = record.round;
  const auto bits = reader.Number<std::uint8_t>();
  const unsigned presence = bits & kPresenceBits;
  if (reader.failed() || bits > kAllBits || presence > 2) return Corrupt();
  round.presence = presence == 0   ? Presence::kPresent
                   : presence == 1 ? Presence::kAbsent
                                   : Presence::kUnusable;
  if ((bits & kHasUser) != 0) round.user = std::string(reader.Raw(kHashBytes));
  if ((bits & kHasRepeat) != 0) record.repeat = ReadHash(reader);
  if ((bits & kHasLabel) != 0) {
    round.y = ReadLabel(reader, labels);
    if (!round.y) return Corrupt();
  }
  if (reader.failed()) return Corrupt();
  if (round.present()) {
    SOTTO_TRY_ASSIGN(auto x, ReadFeatures(reader));
    round.x = std::move(x);
  } else {
    record.error = std::string(
        reader.Raw(std::min<std::uint64_t>(reader.RoomFor(1), kMaxErrorBytes)));
  }
  SOTTO_TRY(reader.Finish());
  return record;
}

std::string LabelRecord::ticket_text() const { return WriteHex16(ticket); }

Record EncodeLabel(const LabelRecord& label) {
  ByteWriter writer;
  writer.Raw(View(label.ticket));
  writer.Real(label.y.number());
  return {RecordType::kLabel, std::move(writer).bytes()};
}

Result<LabelRecord> DecodeLabel(std::string_view payload,
                                const LabelType& labels) {
  ByteReader reader(payload);
  LabelRecord record;
  record.ticket = ReadHash(reader);
  const auto y = ReadLabel(reader, labels);
  SOTTO_TRY(reader.Finish());
  if (!y) return Corrupt();
  record.y = *y;
  return record;
}

std::optional<Hash16> ReadHex16(std::string_view text) {
  Hash16 bytes{};
  if (text.size() != 2 * bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = std::string_view("0123456789abcdef").find(text[i]);
    if (digit == std::string_view::npos) return std::nullopt;
    bytes[i / 2] = static_cast<std::uint8_t>(bytes[i / 2] * 16U + digit);
  }
  return bytes;
}

std::string WriteHex16(const Hash16& bytes) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

}  // namespace sotto
