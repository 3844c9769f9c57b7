#include "sotto/service/peers/peer_wire.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "sotto/base/bytes.h"

namespace sotto {
namespace {

constexpr std::uint8_t kVersion = 2;
constexpr std::uint64_t kLeastRequest = 61;  // bytes, with empty texts
constexpr std::uint64_t kLeastReply = 9;
constexpr double kMostClasses = 4294967296.0;

template <typename Enum>
Enum ReadEnum(ByteReader& reader, Enum last, bool& good) {
  const auto number = reader.Number<std::uint8_t>();
  good = good && number <= static_cast<std::uint8_t>(last);
  return static_cast<Enum>(number);
}

Label ReadLabel(ByteReader& reader, bool& good) {
  const auto kind = ReadEnum(reader, LabelKind::kNumber, good);
  const double number = reader.Real();
  switch (kind) {
    case LabelKind::kTwo:
      return number != 0;
    case LabelKind::kClasses:
      good = good && number >= 0 && number < kMostClasses;
      return Label::OfClass(good ? static_cast<std::uint32_t>(number) : 0);
    case LabelKind::kNumber:
      break;
  }
  return Label::OfNumber(number);
}

void WriteAnswer(const PublishedAnswer& answer, ByteWriter& writer) {
  writer.Number(answer.release);
  writer.Number(static_cast<std::uint8_t>(answer.prediction.kind()));
  writer.Real(answer.prediction.number());
  writer.Number(static_cast<std::uint8_t>(answer.probability.has_value()));
  writer.Real(answer.probability.value_or(0));
}

PublishedAnswer ReadAnswer(ByteReader& reader, bool& good) {
  PublishedAnswer answer{.release = reader.Number<std::uint64_t>()};
  answer.prediction = ReadLabel(reader, good);
  const bool has = reader.Number<std::uint8_t>() != 0;
  const double probability = reader.Real();
  if (has) answer.probability = probability;
  return answer;
}

void WriteRequest(const HostRequest& request, ByteWriter& writer) {
  writer.Number(static_cast<std::uint8_t>(request.kind));
  writer.Number(static_cast<std::uint8_t>(request.unusable));
  for (const std::string* text :
       {&request.body, &request.user, &request.credential,
        &request.idempotency_key}) {
    writer.Text(*text);
  }
  writer.Number(static_cast<std::uint8_t>(request.answered.has_value()));
  // The same room without one: the length does not show that a row is bad.
  WriteAnswer(request.answered.value_or(PublishedAnswer{}), writer);
}

HostRequest ReadRequest(ByteReader& reader, bool& good) {
  HostRequest request;
  request.kind = ReadEnum(reader, HostRequest::Kind::kAdd, good);
  request.unusable = reader.Number<std::uint8_t>() != 0;
  for (std::string* text : {&request.body, &request.user, &request.credential,
                            &request.idempotency_key}) {
    *text = reader.Text();
  }
  const bool answered = reader.Number<std::uint8_t>() != 0;
  const PublishedAnswer answer = ReadAnswer(reader, good);
  if (answered) request.answered = answer;
  return request;
}

void WriteReply(const HostReply& reply, std::size_t room, ByteWriter& writer) {
  writer.Number(static_cast<std::uint8_t>(reply.kind));
  writer.Text(reply.body);
  writer.Raw(std::string(room - std::min(room, reply.body.size()), '\0'));
}

HostReply ReadReply(ByteReader& reader, std::size_t room, bool& good) {
  HostReply reply;
  reply.kind = ReadEnum(reader, HostReply::Kind::kUnknown, good);
  reply.body = reader.Text();
  static_cast<void>(reader.Raw(room - std::min(room, reply.body.size())));
  return reply;
}

void WriteOptional(const std::optional<std::string>& text, ByteWriter& writer) {
  writer.Number(static_cast<std::uint8_t>(text.has_value()));
  writer.Text(text.value_or(""));
}

std::optional<std::string> ReadOptional(ByteReader& reader) {
  const bool there = reader.Number<std::uint8_t>() != 0;
  std::string text(reader.Text());
  return there ? std::optional(std::move(text)) : std::nullopt;
}

Status CheckEnd(const ByteReader& reader, bool good) {
  if (!good) return Corruption("a message of another version");
  return reader.Finish();
}

}  // namespace

std::string EncodeAsk(const PeerAsk& ask) {
  ByteWriter writer;
  writer.Number(kVersion);
  writer.Text(ask.model);
  writer.Text(ask.known);
  writer.Number(static_cast<std::uint8_t>(ask.configured));
  writer.Number(static_cast<std::uint64_t>(ask.requests.size()));
  for (const HostRequest& request : ask.requests) WriteRequest(request, writer);
  return std::move(writer).bytes();
}

Result<PeerAsk> DecodeAsk(std::string_view bytes) {
  ByteReader reader(bytes);
  bool good = reader.Number<std::uint8_t>() == kVersion;
  PeerAsk ask;
  ask.model = reader.Text();
  ask.known = reader.Text();
  ask.configured = reader.Number<std::uint8_t>() != 0;
  const auto count = reader.Number<std::uint64_t>();
  good = good && count <= reader.RoomFor(kLeastRequest);
  for (std::uint64_t i = 0; good && i < count; ++i) {
    ask.requests.push_back(ReadRequest(reader, good));
  }
  SOTTO_TRY(CheckEnd(reader, good));
  return ask;
}

std::string EncodeAnswer(const PeerAnswer& answer) {
  ByteWriter writer;
  writer.Number(kVersion);
  writer.Number(static_cast<std::uint8_t>(answer.state));
  writer.Number(static_cast<std::uint64_t>(answer.longest_body));
  WriteOptional(answer.estimate, writer);
  writer.Number(static_cast<std::uint8_t>(answer.publishes));
  std::optional<std::string> version;
  if (answer.publication) version = answer.publication->version;
  WriteOptional(version, writer);
  writer.Text(answer.publication ? answer.publication->json : "");
  writer.Text(answer.configuration);
  writer.Number(static_cast<std::uint64_t>(answer.replies.size()));
  for (const HostReply& reply : answer.replies) {
    WriteReply(reply, answer.longest_body, writer);
  }
  return std::move(writer).bytes();
}

Result<PeerAnswer> DecodeAnswer(std::string_view bytes) {
  ByteReader reader(bytes);
  bool good = reader.Number<std::uint8_t>() == kVersion;
  PeerAnswer answer;
  answer.state = ReadEnum(reader, Host::State::kFrozen, good);
  answer.longest_body = reader.Number<std::uint64_t>();
  answer.estimate = ReadOptional(reader);
  answer.publishes = reader.Number<std::uint8_t>() != 0;
  auto version = ReadOptional(reader);
  std::string json(reader.Text());
  answer.configuration = reader.Text();
  if (version) {
    answer.publication =
        Host::Publication{*std::move(version), std::move(json)};
  }
  const auto count = reader.Number<std::uint64_t>();
  good = good && count <= reader.RoomFor(kLeastReply);
  for (std::uint64_t i = 0; good && i < count; ++i) {
    answer.replies.push_back(ReadReply(reader, answer.longest_body, good));
  }
  SOTTO_TRY(CheckEnd(reader, good));
  return answer;
}

}  // namespace sotto
