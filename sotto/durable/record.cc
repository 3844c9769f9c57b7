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
constexpr std::uint8_t kPadded = 32;  // the length of the rest comes next
constexpr std::uint8_t kHasAnswer = 64;
constexpr std::uint8_t kAllBits = 127;
constexpr double kNoProbability = -1;
// Presence of a place that no one took.
constexpr std::uint8_t kLeftOver = 3;

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

void WriteAnswer(const PublishedAnswer& answer, ByteWriter& writer) {
  writer.Number(answer.release);
  writer.Real(answer.prediction.number());
  writer.Real(answer.probability.value_or(kNoProbability));
}

std::optional<PublishedAnswer> ReadAnswer(ByteReader& reader,
                                          const LabelType& labels) {
  PublishedAnswer answer{.release = reader.Number<std::uint64_t>()};
  const auto prediction = ReadLabel(reader, labels);
  const double probability = reader.Real();
  if (!prediction) return std::nullopt;
  answer.prediction = *prediction;
  if (probability != kNoProbability) answer.probability = probability;
  return answer;
}

}  // namespace

Record EncodeRound(const RoundRecord& record, RecordType type) {
  const Round& round = record.round;
  ByteWriter writer;
  std::uint8_t bits =
      record.left_over ? kLeftOver : PresenceCode(round.presence);
  if (!round.user.empty()) bits |= kHasUser;
  if (record.repeat) bits |= kHasRepeat;
  if (round.y) bits |= kHasLabel;
  if (record.answered) bits |= kHasAnswer;
  writer.Number(bits);
  if (!round.user.empty()) writer.Raw(round.user);
  if (record.repeat) writer.Raw(View(*record.repeat));
  if (round.y) writer.Real(round.y->number());
  if (record.answered) WriteAnswer(*record.answered, writer);
  if (round.present()) {
    WriteFeatures(round.x, writer);
  } else {
    writer.Raw(std::string_view(record.error).substr(0, kMaxErrorBytes));
  }
  return {type, std::move(writer).bytes()};
}

bool PadRound(Record& record, std::size_t size) {
  std::string& payload = record.payload;
  if (payload.size() + sizeof(std::uint32_t) > size) return false;
  ByteWriter writer;
  writer.Number(static_cast<std::uint8_t>(payload.front() | kPadded));
  writer.Number(static_cast<std::uint32_t>(payload.size() - 1));
  writer.Raw(std::string_view(payload).substr(1));
  payload = std::move(writer).bytes();
  payload.resize(size, '\0');
  return true;
}

std::size_t PaddedRoundBytes(std::size_t features) {
  const std::size_t x = sizeof(std::uint32_t) + features * kFeatureBytes;
  return 1 + sizeof(std::uint32_t) + 2 * kHashBytes + sizeof(double) +
         std::max(x, kMaxErrorBytes);
}

namespace {

// The content of a round that was padded, without its padding.
Result<std::string_view> ReadContent(bool padded, ByteReader& reader) {
  if (!padded) return reader.Raw(reader.RoomFor(1));
  const auto size = reader.Number<std::uint32_t>();
  const std::string_view content = reader.Raw(size);
  const std::string_view rest = reader.Raw(reader.RoomFor(1));
  if (reader.failed() || rest.find_first_not_of('\0') != rest.npos) {
    return Corrupt();
  }
  return content;
}

}  // namespace

Result<RoundRecord> DecodeRound(std::string_view payload,
                                const LabelType& labels) {
  ByteReader whole(payload);
  RoundRecord record;
  Round& round = record.round;
  const auto bits = whole.Number<std::uint8_t>();
  const unsigned presence = bits & kPresenceBits;
  if (whole.failed() || bits > kAllBits) return Corrupt();
  SOTTO_TRY_ASSIGN(const auto content,
                   ReadContent((bits & kPadded) != 0, whole));
  ByteReader reader(content);
  record.left_over = presence == kLeftOver;
  round.presence = presence == 0   ? Presence::kPresent
                   : presence == 2 ? Presence::kUnusable
                                   : Presence::kAbsent;
  if ((bits & kHasUser) != 0) round.user = std::string(reader.Raw(kHashBytes));
  if ((bits & kHasRepeat) != 0) record.repeat = ReadHash(reader);
  if ((bits & kHasLabel) != 0) {
    round.y = ReadLabel(reader, labels);
    if (!round.y) return Corrupt();
  }
  if ((bits & kHasAnswer) != 0) {
    record.answered = ReadAnswer(reader, labels);
    if (!record.answered) return Corrupt();
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
